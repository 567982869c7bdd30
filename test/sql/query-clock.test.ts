import { expect, test } from "vitest";
import { QueryClock } from "../../src/sql/query-clock.js";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const aborted = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason)));

test("time counts but for what a reader takes, and then the signal aborts with the reason", async () => {
  const clock = new QueryClock(30, () => new Error("over"));
  clock.pause();
  clock.pause();
  await pause(90);
  expect(clock.signal.aborted).toBe(false);
  const ended = aborted(clock.signal);
  clock.resume();
  clock.resume();
  expect(await ended).toEqual(new Error("over"));
  clock.pause();
  clock.resume();
  clock.stop();
});

test("what was counted before a pause counts after it", async () => {
  const clock = new QueryClock(60_000, () => new Error("over"));
  await pause(20);
  clock.pause();
  const left = clock.leftMs;
  expect(left).toBeLessThan(60_000 - 15);
  await pause(30);
  expect(clock.leftMs).toBe(left);
  expect(clock.longestPauseMs).toBe(0);
  clock.resume();
  const longest = clock.longestPauseMs;
  expect(longest).toBeGreaterThan(25);
  clock.pause();
  clock.resume();
  expect(clock.longestPauseMs).toBe(longest);
  await pause(20);
  expect(clock.leftMs).toBeLessThan(left - 15);
  clock.stop();
});

test("a clock that is stopped, or without a limit, never aborts", async () => {
  const stopped = new QueryClock(10, () => new Error("over"));
  stopped.stop();
  stopped.resume();
  const endless = new QueryClock(Number.POSITIVE_INFINITY, () => new Error("over"));
  endless.pause();
  endless.resume();
  await pause(40);
  expect([stopped.signal.aborted, endless.signal.aborted]).toEqual([false, false]);
  endless.stop();
});
