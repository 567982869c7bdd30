import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { buildIndex } from "../../src/search/build-index.js";
import { readCertificate, verifyCertificate } from "../../src/search/certificate.js";
import { SEARCH_DEFAULTS } from "../../src/search/defaults.js";
import type { IndexDocument } from "../../src/search/document.js";
import type { Embedder } from "../../src/search/embed/embedder.js";
import { measureSet } from "../../src/search/measure-set.js";
import { openIndex } from "../../src/search/open-index.js";
import {
  chooseSteps,
  combineShares,
  isConclusive,
  leastMean,
} from "../../src/search/vector/recall/combine-shares.js";
import { patiencesOf, runDepths, type ShareRecall } from "../../src/search/vector/recall/measure-recall.js";
import type { MeasuredStep } from "../../src/search/vector/recall/set-recall.js";
import { exactCost, SearchPlan, scanOutlasts, stepCost } from "../../src/search/vector/search-plan.js";
import { VectorSet } from "../../src/search/vector/vector-set.js";
import { readVectorSetManifest } from "../../src/search/vector/vector-set-manifest.js";

const COUNT = 5000;
let folder: string;
let whole: string;
let worn: string;

/** An embedder whose vectors come from the number at the end of a text: directions that differ in 256 dimensions. */
const numbered: Embedder = {
  id: "numbered-1",
  dims: 256,
  state: { version: 1 },
  embedDocuments: async (texts) => texts.map(vectorOf),
  embedQuery: async (text) => vectorOf(text),
};

function vectorOf(text: string): Float32Array {
  let state = Number(/\d+$/.exec(text)?.[0] ?? 0) + 1;
  const vector = Float32Array.from({ length: 256 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  return vector.map((x) => x / length);
}

const idOf = (n: number) => `web_gnw_${String(n).padStart(5, "0")}`;
const documents = (from: number, to: number) =>
  async function* (): AsyncGenerator<IndexDocument[]> {
    yield Array.from({ length: to - from }, (_, i) => ({
      id: idOf(from + i),
      lang: "en",
      text: `text number ${from + i}`,
    }));
  };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-certificate-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Makes an index's codes say little: quick search then misses what exact search finds. */
async function wear(dir: string): Promise<void> {
  const set = join(dir, "segment-0000/given");
  const [mean, deviation] = await Promise.all(
    ["mean.f32", "deviation.f32"].map(
      async (name) => new Float32Array(new Uint8Array(await readFile(join(set, name))).buffer),
    ),
  );
  // Far from the mean all codes are alike.
  const shifted = mean!.map((value, i) => (i % 8 === 0 ? value : value + 8 * deviation![i]!));
  await writeFile(join(set, "mean.f32"), new Uint8Array(shifted.buffer));
}

describe("a recall certificate", { tags: "slow" }, () => {
  beforeAll(async () => {
    whole = join(folder, "whole");
    await buildIndex(whole, documents(0, COUNT), { embedder: numbered, localSet: false, threads: 0 });
    worn = join(folder, "worn");
    await buildIndex(worn, documents(0, COUNT), { embedder: numbered, localSet: false, threads: 0 });
  });

  it("is written by the build and says what quick search finds at each selectivity", async () => {
    const certificate = await readCertificate(whole);
    expect(certificate.sets).toHaveLength(1);
    const [set] = certificate.sets;
    expect(set).toMatchObject({ segment: "segment-0000", set: "given", queries: 128, sample: "vectors" });
    expect(set!.recall.map(({ selectivity }) => selectivity)).toEqual([1, 0.1, 0.01, 0.001]);
    expect(set!.recall[0]!.rows).toBe(COUNT);
    expect(set!.recall[0]!.measured[0]!.recall10).toBeGreaterThanOrEqual(0.99);
    expect(set!.recall[0]!.measured[0]!.recall100).toBeGreaterThanOrEqual(0.984);
    for (const { rows, measured } of set!.recall.slice(1)) {
      expect(rows).toBeLessThan(600);
      expect(measured).toEqual([]);
    }
    for (const { recall10 } of certificate.overall) expect(recall10).toBeGreaterThanOrEqual(0.98);
  });

  it("is the same for the same documents", async () => {
    const [a, b] = await Promise.all(
      [whole, worn].map((dir) => readFile(join(dir, "certificate.json"), "utf8")),
    );
    expect(a).toBe(b);
  });

  it("is confirmed for an index that is what it was, and refuted for one that was worn", async () => {
    const asked: (readonly [number, number])[] = [];
    const onProgress = (...counts: [number, number]) => asked.push(counts);
    expect((await verifyCertificate(whole, { threads: 0, onProgress })).shortfalls).toEqual([]);
    // 128 questions, asked exactly and at nine widths of scans at most; some hundreds of them take longer than a report.
    expect([asked[0], asked.at(-1)]).toEqual([
      [0, 1_280],
      [1_280, 1_280],
    ]);
    expect(asked.filter(([done]) => done > 0 && done < 1_280).length).toBeGreaterThan(0);
    await wear(worn);
    const { shortfalls } = await verifyCertificate(worn, { threads: 0 });
    expect(shortfalls).toHaveLength(1);
    expect(shortfalls[0]).toMatchObject({ segment: "segment-0000", set: "given", selectivity: 1 });
    expect(shortfalls[0]!.recall10.measured).toBeLessThan(shortfalls[0]!.recall10.certified);
  });

  it("is checked at steps that no build measures now, as an older one has them", async () => {
    const older = join(folder, "older");
    await cp(whole, older, { recursive: true });
    const path = join(older, "certificate.json");
    const certificate = JSON.parse(await readFile(path, "utf8"));
    const shortfalls = async (step: object) => {
      certificate.sets[0].recall[0].measured = [
        { by: "columns", run: 0, recall10: 1, recall100: 1, ...step },
      ];
      await writeFile(path, JSON.stringify(certificate));
      return (await verifyCertificate(older, { threads: 0 })).shortfalls;
    };
    const sums = vi.spyOn(VectorSet.prototype, "columnSums");
    expect((await verifyCertificate(whole, { threads: 0 })).shortfalls).toEqual([]);
    // No more widths of scans than a build measures.
    expect(sums.mock.calls.length).toBeLessThan(SEARCH_DEFAULTS.vector.scans.length * 128);
    sums.mockRestore();
    const [shortfall] = await shortfalls({ breadth: 16, depth: 150 });
    expect(shortfall).toMatchObject({ selectivity: 1, recall100: { certified: 1 } });
    expect(shortfall!.recall100.measured).toBeLessThan(0.9);
    expect(await shortfalls({ breadth: 1536, depth: 4000 })).toEqual([]);
  });

  it("makes a bad index search deeper, so that it still finds what exact search does", async () => {
    const certified = join(folder, "certified-worn");
    await cp(whole, certified, { recursive: true });
    await wear(certified);
    const { sets } = await readCertificate(certified);
    const misses = async () => {
      const index = await openIndex(certified, { embedder: numbered });
      const all = RowSet.all(COUNT);
      let missed = 0;
      for (let n = 0; n < 20; n += 1) {
        const query = vectorOf(`query ${10_000 + n}`);
        const padded = new Float32Array(1536);
        padded.set(query);
        const exact = await index.nearest(padded, all, { limit: 10, exact: true });
        const quick = new Set(await index.nearest(padded, all, { limit: 10 }));
        missed += exact.filter((row) => !quick.has(row)).length;
      }
      await index.close();
      return missed;
    };
    expect(await misses()).toBeGreaterThan(4);
    const share = await measureSet({
      dir: join(certified, "segment-0000/given"),
      segment: "segment-0000",
      set: "given",
      rows: COUNT,
      least: 1,
      byGraph: false,
    });
    const measured = chooseSteps(combineShares([share]), { count: COUNT });
    const certificate = JSON.parse(await readFile(join(certified, "certificate.json"), "utf8"));
    certificate.sets = [{ ...sets[0], ...measured }];
    await writeFile(join(certified, "certificate.json"), JSON.stringify(certificate));
    expect(await misses()).toBeLessThan(4);
  });

  it("ends where wider scans cannot be chosen, with the choice of all that could be measured", async () => {
    for (const dir of [whole, worn]) {
      const task = {
        dir: join(dir, "segment-0000/given"),
        segment: "segment-0000",
        set: "given",
        rows: COUNT,
        byGraph: false,
      };
      const all = await measureSet({ ...task, least: 8 });
      const some = await measureSet({ ...task, least: 1 });
      expect(all.scans).toBe(8);
      if (dir === whole) expect(some.scans).toBeLessThan(8);
      const size = { count: COUNT, width: (await readVectorSetManifest(task.dir)).width };
      expect(size.width).toBeLessThan(1536);
      expect(chooseSteps(combineShares([some]), size)).toEqual(chooseSteps(combineShares([all]), size));
    }
  });

  it("keeps what was measured of the segments that an index builds upon", async () => {
    const more = join(folder, "more");
    await buildIndex(more, documents(COUNT, COUNT + 50), {
      base: { dir: whole },
      embedder: numbered,
      threads: 0,
    });
    const before = await readCertificate(whole);
    const after = await readCertificate(more);
    expect(after.sets.map(({ segment }) => segment)).toEqual(["segment-0000", "segment-0001"]);
    expect(after.sets[0]).toEqual(before.sets[0]);
    expect(after.sets[1]!.recall.every(({ measured }) => measured.length === 0)).toBe(true);
  });
});

it("a recall certificate is demanded at open", async () => {
  const without = join(folder, "without");
  await buildIndex(without, documents(0, 10), { embedder: numbered, localSet: false, threads: 0 });
  await rm(join(without, "certificate.json"));
  await expect(openIndex(without)).rejects.toMatchObject({ code: "certificate_unreadable" });
});

const step = (breadth: number, depth: number, recall10 = 1, recall100 = recall10): MeasuredStep => ({
  by: "columns",
  breadth,
  fine: breadth / 4,
  depth,
  run: 0,
  scored: depth,
  recall10,
  recall100,
});

describe("a search plan", () => {
  const at = (selectivity: number, ...measured: MeasuredStep[]) => ({ selectivity, rows: 100_000, measured });

  it("takes the step that the certificate found to suffice, and between two what both need", () => {
    const plan = new SearchPlan({
      queries: 64,
      sample: "texts",
      recall: [at(1, step(128, 1024)), at(0.1, step(96, 2048)), at(0.01, step(96, 16_384, 0.9)), at(0.001)],
    });
    expect(plan.step(1)).toMatchObject({ by: "columns", breadth: 128, depth: 1024 });
    expect(plan.step(0.5)).toMatchObject({ by: "columns", breadth: 128, depth: 2048, run: 0 });
    expect(plan.step(0.1)).toMatchObject({ by: "columns", breadth: 96, depth: 2048 });
    expect(plan.step(0.05)).toBeUndefined();
    expect(plan.step(0.01)).toBeUndefined();
    expect(plan.step(0.0005)).toEqual({ by: "columns", breadth: 128, fine: 32, depth: 1024, run: 256 });
    expect(new SearchPlan().step(1)).toEqual({
      by: "columns",
      breadth: 128,
      fine: 32,
      depth: 1024,
      run: 256,
    });
  });

  it("does not score most of a set where few rows are scored because they are few", () => {
    const sure = (rows: number, selectivity: number, ...measured: MeasuredStep[]) => ({
      selectivity,
      rows,
      measured,
    });
    const runs = { ...step(192, 4096), run: 256, scored: 820 };
    const plan = new SearchPlan({
      queries: 128,
      sample: "texts",
      recall: [sure(50_000, 1, runs), sure(5_000, 0.1, step(128, 256, 0.98, 0.9)), sure(500, 0.01)],
    });
    for (const share of [0.99, 0.5, 0.11])
      expect(plan.step(share)).toMatchObject({ breadth: 192, depth: 4096, run: 256, patience: 2 });
    expect(plan.step(0.1)).toBeUndefined();
    expect(plan.step(0.05)).toBeUndefined();
    // A wider scan of all would have been cheaper than to score a tenth of a larger set, if it had found enough.
    const never = new SearchPlan({
      queries: 128,
      sample: "texts",
      recall: [sure(500_000, 1, step(128, 1024)), sure(50_000, 0.1, step(1536, 16_384, 0.98, 0.9))],
    });
    expect(never.step(0.5)).toBeUndefined();
  });
});

describe("shares of a sample", () => {
  it("decide when no wider scan could be chosen", () => {
    const of = (...measured: MeasuredStep[]) => ({
      queries: 64,
      sample: "texts" as const,
      recall: [{ selectivity: 1, rows: 100_000, measured }],
    });
    expect(isConclusive(of(step(128, 256)), { count: 100_000 }, 1)).toBe(true);
    expect(isConclusive(of(step(128, 256, 0.9), step(128, 16_384)), { count: 100_000 }, 1)).toBe(false);
    expect(isConclusive(of(step(128, 256, 0.9)), { count: 100_000 }, 8)).toBe(false);
    expect(isConclusive(of(step(128, 256, 0.9)), { count: 100_000 }, 9)).toBe(true);
    // Everything is scored, or a wider scan would take longer than that.
    expect(isConclusive(of(), { count: 100_000 }, 1)).toBe(true);
    expect(
      isConclusive(
        { ...of(), recall: [{ ...of().recall[0]!, rows: 20, measured: [step(128, 256, 0.9)] }] },
        { count: 100_000 },
        1,
      ),
    ).toBe(true);
  });

  it("have what the steps find at least that all of them measured", () => {
    const both = combineShares([
      share(2, found(128, 256, [1, 1]), found(192, 256, [1, 1])),
      share(2, found(128, 256, [0.9, 0.9], [1, 1])),
    ]);
    const least = 0.95 - 2.326 * Math.sqrt(0.01 / 3 / 4);
    expect(both.recall[0]!.measured).toEqual([step(128, 256, Math.round(least * 1e6) / 1e6, 1)]);
  });

  /** Hits of a step, by what was found of the ten and the hundred nearest of each query. */
  const found = (breadth: number, depth: number, of10: readonly number[], of100 = of10) => {
    const sum = (of: readonly number[]) => of.reduce((a, b) => a + b, 0);
    const squares = (of: readonly number[]) => sum(of.map((share) => share ** 2));
    return {
      step: { by: "columns", breadth, fine: breadth / 4, depth, run: 0 } as const,
      found10: sum(of10),
      found100: sum(of100),
      squares10: squares(of10),
      squares100: squares(of100),
    };
  };
  const share = (queries: number, ...steps: ReturnType<typeof found>[]): ShareRecall => ({
    queries,
    sample: "texts",
    scans: 1,
    recall: [
      {
        selectivity: 1,
        rows: 100_000,
        steps: steps.map((hits) => ({ ...hits, scored: hits.step.depth * queries })),
      },
    ],
  });

  it("say together what they say apart, by their queries", () => {
    const [shallow, deep] = [
      [0.98, 0.99, 1, 0.99],
      [1, 1, 1, 1],
    ];
    const combined = combineShares([
      share(3, found(96, 256, shallow.slice(0, 3)), found(96, 512, deep.slice(0, 3))),
      share(1, found(96, 256, shallow.slice(3)), found(96, 512, deep.slice(3))),
    ]);
    expect(combined).toMatchObject({ queries: 4, sample: "texts" });
    expect(combined).toEqual(combineShares([share(4, found(96, 256, shallow), found(96, 512, deep))]));
    expect(combined.recall[0]!.measured[1]).toEqual(step(96, 512));
  });

  it("choose the cheapest step that suffices, and exact search where each costs as much or none suffices", () => {
    const chosen = (rows: number, ...measured: MeasuredStep[]) =>
      chooseSteps(
        { queries: 1, sample: "texts", recall: [{ selectivity: 1, rows, measured }] },
        { count: rows },
      ).recall[0]!.measured;
    const [shallow, deep, broad] = [step(96, 256, 0.9), step(96, 4096, 0.998), step(768, 256, 0.999)];
    expect(stepCost(deep, 100_000)).toBeLessThan(stepCost(broad, 100_000));
    expect(chosen(100_000, shallow, broad, deep)).toEqual([deep]);
    // What memory has no room for is read, so candidates cost more.
    expect(exactCost(1_000, 306_475)).toBeGreaterThan(4 * exactCost(1_000, 50_000));
    expect(chosen(50_000, shallow, step(96, 512, 0.95))).toEqual([step(96, 512, 0.95)]);
    expect(exactCost(250, 250)).toBeLessThan(stepCost(shallow, 250));
    expect(chosen(250, shallow, deep)).toEqual([]);
  });

  it("cost less of vectors with fewer numbers, and exact scores of these still less", () => {
    const rows = fc.integer({ min: 1, max: 60_000 });
    const widths = fc.integer({ min: 1, max: 48 }).map((times) => 32 * times);
    fc.assert(
      fc.property(rows, widths, fc.integer({ min: 256, max: 16_384 }), (passing, width, depth) => {
        const one = step(128, depth);
        for (const count of [60_000, 400_000]) {
          expect(exactCost(passing, count, width)).toBeLessThanOrEqual(exactCost(passing, count));
          expect(stepCost(one, count, width)).toBeLessThanOrEqual(stepCost(one, count));
          // What was scored as a whole by the cost of all numbers is so by that of fewer: older certificates hold.
          if (exactCost(passing, count) <= stepCost(one, count))
            expect(exactCost(passing, count, width)).toBeLessThanOrEqual(stepCost(one, count, width));
        }
      }),
    );
    const plan = new SearchPlan({
      queries: 1,
      sample: "texts",
      recall: [
        { selectivity: 1, rows: 54_000, measured: [{ ...step(128, 2_048, 0.99), scored: 300 }] },
        { selectivity: 0.1, rows: 5_400, measured: [step(128, 16_384, 0.5)] },
      ],
    });
    // A tenth is scored exactly: of few numbers for less than the step of all takes, which then serves half.
    expect([plan.step(0.5, 1536), plan.step(0.5, 384)?.by]).toEqual([undefined, "columns"]);
  });

  it("take a graph for the cheaper way from so many rows on, the sooner the fewer dimensions it has", () => {
    const from = (dims: number) => {
      let rows = 1_024;
      while (!scanOutlasts(rows, dims)) rows += 1_024;
      return rows;
    };
    const [narrow, middle, wide] = [from(256), from(512), from(1536)];
    expect(narrow).toBeLessThan(middle);
    expect(middle).toBeLessThan(wide);
    expect(wide).toBeLessThan(SEARCH_DEFAULTS.segmentDocuments);
    expect(scanOutlasts(2 * wide, 1536)).toBe(true);
  });

  it("choose the step that finds most of those that take little more than the cheapest", () => {
    const chosen = (rows: number, ...measured: MeasuredStep[]) =>
      chooseSteps(
        { queries: 1, sample: "texts", recall: [{ selectivity: 1, rows, measured }] },
        { count: rows },
      ).recall[0]!.measured;
    const [cheap, more] = [step(128, 1024, 0.99, 0.986), step(192, 1024, 1, 0.995)];
    expect(chosen(8_000, cheap, more)).toEqual([more]);
    expect(chosen(100_000, cheap, more)).toEqual([cheap]);
    // It is measured, too.
    const of = (...measured: MeasuredStep[]) => ({
      queries: 64,
      sample: "texts" as const,
      recall: [{ selectivity: 1, rows: 8_000, measured }],
    });
    expect(isConclusive(of(cheap), { count: 8_000 }, 1)).toBe(false);
    expect(isConclusive(of(cheap), { count: 100_000 }, 1)).toBe(false);
    expect(isConclusive(of({ ...cheap, scored: 500 }), { count: 800_000 }, 1)).toBe(true);
  });

  it("have candidates in proportion to the rows, and no more than half of them", () => {
    expect(runDepths(2_047)).toEqual([]);
    expect(runDepths(2_048)).toEqual([1_024]);
    expect(runDepths(54_000)).toEqual([1_024, 2_048, 4_096, 8_192, 16_384]);
    expect(runDepths(262_144)).toEqual([2_048, 4_096, 8_192, 16_384]);
    expect(runDepths(319_146)).toEqual([4_096, 8_192, 16_384]);
    expect(runDepths(524_288)).toEqual([4_096, 8_192, 16_384]);
  });

  it("score the longer before they end, the more rows they search", () => {
    expect(patiencesOf(4_096)).toEqual([1, 2, 4]);
    expect(patiencesOf(131_072)).toEqual([1, 2, 4]);
    expect(patiencesOf(262_144)).toEqual([2, 4]);
    expect(patiencesOf(343_964)).toEqual([4]);
    expect(patiencesOf(2_000_000)).toEqual([4]);
  });

  it("choose more recall than is required where some step has it", () => {
    const chosen = (rows: number, ...measured: MeasuredStep[]) =>
      chooseSteps(
        { queries: 1, sample: "texts", recall: [{ selectivity: 1, rows, measured }] },
        { count: rows },
      ).recall[0]!.measured;
    const [cheap, wide] = [step(128, 2048, 0.982), step(192, 2048, 0.992)];
    expect(chosen(50_000, cheap, wide)).toEqual([wide]);
    expect(chosen(50_000, cheap)).toEqual([cheap]);
    expect(chosen(200_000, cheap, wide)).toEqual([wide]);
    // To score further runs may be cheaper than to scan more.
    const patient = { ...step(128, 4096, 0.992), run: 256, patience: 2, scored: 1_400 };
    expect(chosen(200_000, cheap, wide, patient)).toEqual([patient]);
  });

  it("state less than the mean, and never less than nothing", () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(shares, (values) => {
        const sum = values.reduce((a, b) => a + b, 0);
        const squares = values.reduce((a, b) => a + b * b, 0);
        const least = leastMean(sum, squares, values.length);
        expect(least).toBeGreaterThanOrEqual(0);
        expect(least).toBeLessThanOrEqual(sum / values.length);
      }),
    );
    expect(leastMean(128, 128, 128)).toBe(1);
    expect(leastMean(0, 0, 0)).toBe(0);
  });

  it("say nothing where all rows are scored", () => {
    expect(combineShares([share(0), share(0)]).recall[0]!.measured).toEqual([]);
  });
});
