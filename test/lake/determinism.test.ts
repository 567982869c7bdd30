import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { CAMPAIGN } from "../support/campaign.js";
import { batches, INFO, makeItems } from "./items.js";
import { snapshot } from "./reseal.js";
import { answersOf } from "./same-answers.js";

const QUERIES = ["手机 camera", "rumah murah", "mercado", "news rain"];
let dir: string;
/** A large ingest, a small update of it with newer editions, and one with older editions. */
const sources: Record<"large" | "newer" | "older", string> = { large: "", newer: "", older: "" };

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-determinism-"));
  const make = async (name: keyof typeof sources, from: number, to: number, edition: number) => {
    sources[name] = join(dir, name);
    await writeSlices(batches(makeItems(from, to, edition)), { out: sources[name], info: INFO });
  };
  await make("large", 0, 120, 3);
  await make("newer", 100, 130, 8);
  await make("older", 110, 135, 0);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function built(
  name: string,
  installs: readonly (readonly string[])[],
  options: { threads?: number; rebuild?: boolean } = {},
): Promise<{ path: string; answers: string }> {
  const path = join(dir, name);
  for (const dirs of installs) await installSlices(dirs, { lake: path, ...options });
  const lake = await Lake.open(path, { exact: true, threads: options.threads ?? 2 });
  try {
    return { path, answers: await answersOf(lake, QUERIES) };
  } finally {
    await lake.close();
  }
}

describe("the same slices", () => {
  it("give the same corpus in any order of installation, added or rebuilt", { tags: "slow" }, async () => {
    const { large, newer, older } = sources;
    const once = await built("once", [[large, newer, older]]);
    const stepwise = await built("stepwise", [[large], [newer], [older]]);
    const rebuilt = await built("rebuilt", [[older, large], [newer]], { rebuild: true });
    // Additions keep the embedder that the lake was fitted with: rankings by meaning may differ from those of a rebuild.
    expect(withoutMeaning(stepwise.answers)).toBe(withoutMeaning(once.answers));
    if (CAMPAIGN) {
      const backwards = await built("backwards", [[older], [newer], [large]]);
      expect(withoutMeaning(backwards.answers)).toBe(withoutMeaning(once.answers));
    }
    expect(rebuilt.answers).toBe(once.answers);
    await installSlices([], { lake: stepwise.path, rebuild: true });
    const renewed = await built("stepwise", []);
    expect(renewed.answers).toBe(once.answers);
  });

  it("grow a lake of much smaller ones, and one of much larger ones", { tags: "slow" }, async () => {
    const bulky = join(dir, "bulky");
    // A hundred vectors, of 600 kB.
    await writeSlices(batches(makeItems(200, 600, 0)), { out: bulky, info: INFO });
    const once = await built("of-both", [[sources.large, bulky]]);
    for (const order of [
      [sources.large, bulky],
      [bulky, sources.large],
    ]) {
      const grown = await built(`grown-${order.indexOf(bulky)}`, [[order[0]!], [order[1]!]]);
      expect(withoutMeaning(grown.answers)).toBe(withoutMeaning(once.answers));
    }
  });

  it("give the same bytes with one thread and with two, but for the database's own file", {
    tags: "slow",
  }, async () => {
    const installs = CAMPAIGN ? [[sources.large], [sources.newer]] : [[sources.large, sources.newer]];
    const one = await built("one-thread", installs, { threads: 1 });
    const two = await built("two-threads", installs, { threads: 2 });
    expect(two.answers).toBe(one.answers);
    const withoutDatabase = async (path: string) => {
      const files = Object.entries(await snapshot(path));
      // The list of checksums names the database's own, and seals them all.
      return Object.fromEntries(files.filter(([name]) => !/(?:corpus\.duckdb|checksums\.txt)$/.test(name)));
    };
    expect(await withoutDatabase(two.path)).toEqual(await withoutDatabase(one.path));
  });
});

/** Answers without those that come from the embedder. */
function withoutMeaning(answers: string): string {
  const list = JSON.parse(answers) as unknown[];
  return JSON.stringify(list.filter((_, i) => list[i - 1] !== "hybrid" && list[i - 2] !== "hybrid"));
}
