import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LakeError } from "../../src/contract/errors.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { heldGenerations } from "../../src/lake/open/leases.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { rounds, SEED } from "../support/campaign.js";
import { batches, INFO, makeItems, random } from "./items.js";
import { snapshot } from "./reseal.js";
import { answersOf } from "./same-answers.js";

const KILLS = rounds(3);
const QUERIES = ["手机 camera", "news"];

let dir: string;
let pristine: string;
let update: string;
let before: string;
let after: string;
let afterFiles: string[];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-processes-"));
  const first = join(dir, "first");
  update = join(dir, "update");
  await writeSlices(batches(makeItems(0, 90)), { out: first, info: INFO });
  await writeSlices(batches(makeItems(80, 100, 6)), { out: update, info: INFO });
  pristine = join(dir, "pristine");
  await installSlices([first], { lake: pristine, threads: 1 });
  before = await answersAt(pristine);
  const done = join(dir, "done");
  await cp(pristine, done, { recursive: true });
  await installSlices([update], { lake: done, threads: 1 });
  after = await answersAt(done);
  afterFiles = Object.keys(await snapshot(done)).sort();
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function answersAt(path: string): Promise<string> {
  const lake = await Lake.open(path, { threads: 1 });
  try {
    return await answersOf(lake, QUERIES);
  } finally {
    await lake.close();
  }
}

function child(script: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return spawn(process.execPath, [path, ...args], { stdio: ["pipe", "pipe", "inherit"] });
}

function ended(process: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve) => process.once("exit", (code, signal) => resolve({ code, signal })));
}

/** Installs in another process and kills it at its nth step of progress; returns the steps that were seen. */
async function installKilledAt(lake: string, slices: string, step: number): Promise<string[]> {
  const install = child("install-child.js", [lake, slices]);
  const exit = ended(install);
  const steps: string[] = [];
  for await (const line of createInterface({ input: install.stdout! })) {
    steps.push(line);
    if (steps.length === step) install.kill("SIGKILL");
  }
  await exit;
  return steps;
}

describe("an install that is killed", () => {
  it("leaves the lake as it was or as it is after, and the next one tidies up", {
    tags: "slow",
  }, async () => {
    const whole = join(dir, "whole");
    await cp(pristine, whole, { recursive: true });
    const steps = await installKilledAt(whole, update, 0);
    expect(steps.at(-1)).toBe("installed 2");
    expect(await answersAt(whole)).toBe(after);

    const next = random(SEED);
    const lake = join(dir, "killed");
    await cp(pristine, lake, { recursive: true });
    let published = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const step = kill < 2 ? steps.length - kill : 1 + Math.floor(next() * steps.length);
      await installKilledAt(lake, update, step);
      const answers = await answersAt(lake);
      expect([before, after]).toContain(answers);
      if (answers === after) {
        published++;
        await rm(lake, { recursive: true, force: true });
        await cp(pristine, lake, { recursive: true });
      }
    }
    expect(published).toBeLessThan(KILLS);
    await installSlices([update], { lake, threads: 1 });
    expect(await answersAt(lake)).toBe(after);
    expect(Object.keys(await snapshot(lake)).sort()).toEqual(afterFiles);
  });

  it("leaves a first install undone or done", { tags: "slow" }, async () => {
    const next = random(SEED + 1);
    for (let kill = 0; kill < rounds(1); kill++) {
      const lake = join(dir, `new-${kill}`);
      await installKilledAt(lake, update, 1 + Math.floor(next() * 30));
      const opened = await answersAt(lake).catch((error: LakeError) => error);
      const codes = ["lake_not_found", "lake_empty", "generation_missing", "lake_current_missing"];
      if (opened instanceof LakeError) expect(codes).toContain(opened.code);
      expect(await installSlices([update], { lake, threads: 1 })).toMatchObject({ generation: 1 });
      expect(await readdir(join(lake, "generations"))).toEqual(["1"]);
    }
  });
});

describe("readers in other processes", () => {
  it("answer all the time, each from one whole generation, while slices are installed", {
    tags: "slow",
  }, async () => {
    const lake = join(dir, "shared");
    await cp(pristine, lake, { recursive: true });
    const readers = [child("read-child.js", [lake]), child("read-child.js", [lake])];
    const exits = readers.map(ended);
    const lines = readers.map(async (reader) => {
      const seen: string[] = [];
      for await (const line of createInterface({ input: reader.stdout! })) seen.push(line);
      return seen;
    });
    await Promise.all(
      readers.map((reader) => new Promise((resolve) => reader.stdout!.once("data", resolve))),
    );
    const totals = ["1 90 90"];
    for (let n = 0; n < rounds(2); n++) {
      const more = join(dir, `more-${n}`);
      await writeSlices(batches(makeItems(90 + n * 10, 100 + n * 10)), { out: more, info: INFO });
      const { generation, total } = await installSlices([more], { lake, threads: 1 });
      totals.push(`${generation} ${total.records} ${total.raw}`);
    }
    for (const reader of readers) reader.stdin!.end();
    for (const exit of exits) expect(await exit).toEqual({ code: 0, signal: null });
    for (const seen of await Promise.all(lines)) {
      expect(seen.length).toBeGreaterThan(1);
      for (const line of seen) expect(totals).toContain(line);
      const order = seen.map((line) => totals.indexOf(line));
      expect([...order].sort((a, b) => a - b)).toEqual(order); // generations only ever move on
    }
    expect(await heldGenerations(lake)).toEqual(new Set());
  });

  it("keep the generation that they read, until they let go or die", { tags: "slow" }, async () => {
    const lake = join(dir, "leased");
    await cp(pristine, lake, { recursive: true });
    const reader = await Lake.open(lake, { threads: 1 });
    const dying = child("read-child.js", [lake]);
    await new Promise((resolve) => dying.stdout!.once("data", resolve));
    const death = ended(dying);
    dying.kill("SIGKILL");
    await death;
    expect(await heldGenerations(lake)).toEqual(new Set([1]));
    await installSlices([update], { lake, threads: 1 });
    expect((await readdir(join(lake, "generations"))).sort()).toEqual(["1", "2"]);
    expect(await answersOf(reader, QUERIES)).toBe(before);
    await reader.close();
    await installSlices([update], { lake, threads: 1 });
    expect(await readdir(join(lake, "generations"))).toEqual(["2"]);
  });
});

describe("installs at once", () => {
  it("exclude each other, in one process and between two", { tags: "slow" }, async () => {
    const lake = join(dir, "busy");
    await cp(pristine, lake, { recursive: true });
    const install = child("install-child.js", [lake, update]);
    const exit = ended(install);
    await new Promise((resolve) => install.stdout!.once("data", resolve));
    await expect(installSlices([update], { lake })).rejects.toMatchObject({ code: "lake_busy" });
    expect((await exit).code).toBe(0);
    const both = await Promise.allSettled([
      installSlices([update], { lake, rebuild: true }),
      installSlices([update], { lake, rebuild: true }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(JSON.stringify(both)).toContain("lake_busy");
    expect(await answersAt(lake)).toBeDefined();
  });

  it("stop on abort at any step, and leave nothing", { tags: "slow" }, async () => {
    const lake = join(dir, "aborted");
    await cp(pristine, lake, { recursive: true });
    const files = await snapshot(lake);
    const whole = join(dir, "not-aborted");
    await cp(pristine, whole, { recursive: true });
    let steps = 0;
    const count = ({ phase }: { phase: string }) => {
      if (phase !== "publish") steps++;
    };
    await installSlices([update], { lake: whole, threads: 1, onProgress: count });
    const next = random(SEED + 2);
    for (let n = 0; n < rounds(2); n++) {
      const controller = new AbortController();
      let left = Math.floor(next() * steps);
      const installing = installSlices([update], {
        lake,
        threads: 1,
        signal: controller.signal,
        onProgress: ({ phase }) => {
          if (left-- <= 0 && phase !== "publish") controller.abort();
        },
      });
      await expect(installing).rejects.toMatchObject({ name: "AbortError" });
      expect(await snapshot(lake)).toEqual(files);
    }
    expect(await answersAt(lake)).toBe(before);
  });
});
