import { expect, test } from "vitest";
import { systemEnvironment } from "../../src/transfer/source/environment.js";
import { HttpClient } from "../../src/transfer/source/http-client.js";

/** A source whose body stops after ten bytes and is deaf to aborts, as fetch's is once its request has been collected. */
const deaf = async () =>
  new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(10)) }));

function client(stallMs: number, signal?: AbortSignal) {
  return new HttpClient({ environment: { ...systemEnvironment, fetch: deaf }, stallMs, signal });
}

function drain(http: HttpClient, onBytes: () => void = () => {}) {
  return http.exchange("http://source.example/x", {}, async ({ body }) => {
    for await (const _ of body) onBytes();
  });
}

test("an abort ends the wait for a body that no abort reaches", async () => {
  const stop = new AbortController();
  const run = drain(client(60_000, stop.signal), () => stop.abort(new Error("Ctrl-C")));
  await expect(run).rejects.toThrow("Ctrl-C");
});

test("a pause that is too long is waited out by none of the requests that it concerns", async () => {
  const slept: number[] = [];
  let asked = 0;
  const busy = new HttpClient({
    environment: {
      ...systemEnvironment,
      now: () => 0,
      sleep: async (ms) => void slept.push(ms),
      fetch: async () => {
        asked += 1;
        return new Response(null, { status: 429, headers: { "retry-after": "3600" } });
      },
    },
    stallMs: 1000,
  });
  for (let i = 0; i < 2; i += 1) {
    await expect(drain(busy)).rejects.toMatchObject({ kind: "busy", options: { retryAfterMs: 3_600_000 } });
  }
  expect(slept).toEqual([]);
  expect(asked).toBe(1);
});

test("a Retry-After of too many digits is a pause of an end", async () => {
  const busy = new HttpClient({
    environment: {
      ...systemEnvironment,
      now: () => 0,
      fetch: async () => new Response(null, { status: 429, headers: { "retry-after": "9".repeat(400) } }),
    },
    stallMs: 1000,
  });
  await expect(drain(busy)).rejects.toMatchObject({
    kind: "busy",
    options: { retryAfterMs: 999_999_999_000 },
  });
});

test("a stall ends the wait for a body that no abort reaches", async () => {
  await expect(drain(client(20))).rejects.toMatchObject({ message: "10 bytes came in 0.02 s" });
});

/** A source that always has a next byte, before any timer rings; each takes `ms`. */
function prompt(ms: number, stallMs: number) {
  let now = 0;
  let sent = 0;
  const http = new HttpClient({
    environment: {
      ...systemEnvironment,
      now: () => now,
      timer: () => () => {},
      fetch: async () =>
        new Response(
          new ReadableStream({
            pull: (stream) => {
              now += ms;
              if (++sent > 1000) stream.error(new Error("nobody ends it"));
              else stream.enqueue(new Uint8Array(1));
            },
          }),
        ),
    },
    stallMs,
  });
  return { http, sent: () => sent };
}

test("a deadline ends a body whose bytes come before any timer", async () => {
  const { http, sent } = prompt(10, 1000);
  const run = http.exchange(
    "http://source.example/x",
    {},
    async ({ body }) => {
      for await (const _ of body);
    },
    0.5,
  );
  await expect(run).rejects.toMatchObject({ code: "transfer_interrupted", value: 500 });
  expect(sent()).toBeLessThan(60);
});

test("a stall ends a body whose few bytes come before any timer", async () => {
  const { http, sent } = prompt(10, 200);
  await expect(drain(http)).rejects.toMatchObject({ kind: "interrupted" });
  expect(sent()).toBeLessThan(50);
});
