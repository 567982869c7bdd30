import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EventLoopQueue } from "../../src/search/event-loop-queue.js";
import { BYTE_VECTOR, storeByteVector } from "../../src/search/vector/byte-vectors.js";
import { CodeSpace } from "../../src/search/vector/codes/code-space.js";
import { QUANTIZERS, type QuantizerName } from "../../src/search/vector/codes/quantizer.js";
import { RowCodes } from "../../src/search/vector/codes/row-codes.js";
import { RowScan } from "../../src/search/vector/codes/row-scan.js";
import { buildGraph } from "../../src/search/vector/graph/build-graph.js";
import { readGraph, writeGraph } from "../../src/search/vector/graph/graph-file.js";
import { OpenGraph } from "../../src/search/vector/graph/open-graph.js";
import { RowHeap } from "../../src/search/vector/graph/row-heap.js";
import type { SetStatistics } from "../../src/search/vector/set-statistics.js";

const FULL = 1536;
const DIMS = 64;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-graph-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Numbers between -1 and 1 from a seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** Stored vectors of length 1 around some centres, in the first {@link DIMS} dimensions. */
function storedVectors(count: number, seed: number): Uint8Array {
  const next = numbers(seed);
  const centres = Array.from({ length: 40 }, () => Float32Array.from({ length: DIMS }, next));
  const stored = new Uint8Array(count * BYTE_VECTOR);
  for (let row = 0; row < count; row += 1) {
    const vector = new Float32Array(FULL);
    const centre = centres[row % centres.length]!;
    for (let i = 0; i < DIMS; i += 1) vector[i] = centre[i]! + 0.8 * next();
    const length = Math.hypot(...vector.subarray(0, DIMS));
    const unit = vector.map((value) => value / length);
    storeByteVector(unit, true, stored.subarray(row * BYTE_VECTOR, (row + 1) * BYTE_VECTOR));
  }
  return stored;
}

function vectorAt(stored: Uint8Array, row: number): Float32Array {
  const bytes = new Int8Array(stored.buffer, stored.byteOffset + row * BYTE_VECTOR, FULL);
  const scale = new DataView(stored.buffer, stored.byteOffset + row * BYTE_VECTOR + FULL, 4).getFloat32(
    0,
    true,
  );
  return Float32Array.from(bytes, (byte) => byte * scale);
}

function statisticsOf(stored: Uint8Array): SetStatistics {
  const count = stored.length / BYTE_VECTOR;
  const vectors = Array.from({ length: count }, (_, row) => vectorAt(stored, row));
  const mean = Float32Array.from(
    { length: DIMS },
    (_, i) => vectors.reduce((sum, vector) => sum + vector[i]!, 0) / count,
  );
  const deviation = Float32Array.from({ length: DIMS }, (_, i) =>
    Math.sqrt(vectors.reduce((sum, vector) => sum + (vector[i]! - mean[i]!) ** 2, 0) / count),
  );
  return { dims: DIMS, mean, deviation };
}

/** The rows of largest inner products, best first. */
function nearestOf(
  stored: Uint8Array,
  query: Float32Array,
  limit: number,
  passes = (_: number) => true,
): number[] {
  return Array.from({ length: stored.length / BYTE_VECTOR }, (_, row) => row)
    .filter(passes)
    .map((row) => ({ row, score: vectorAt(stored, row).reduce((sum, x, i) => sum + x * query[i]!, 0) }))
    .sort((a, b) => b.score - a.score || a.row - b.row)
    .slice(0, limit)
    .map(({ row }) => row);
}

describe("codes of rows", () => {
  it("score as plain loops over their levels do, whatever rows and queries", async () => {
    const stored = storedVectors(50, 3);
    const statistics = statisticsOf(stored);
    for (const quantizer of Object.keys(QUANTIZERS) as QuantizerName[]) {
      const space = new CodeSpace(statistics, quantizer);
      const codes = await RowCodes.create(50, space);
      codes.put(stored, 0, FULL);
      // A weight of one dimension alone shows its level.
      const levels = Array.from({ length: 50 }, () => new Int32Array(DIMS));
      for (let i = 0; i < DIMS; i += 1) {
        codes.setQuery(Int16Array.from({ length: DIMS }, (_, at) => (at === i ? 1 : 0)));
        for (let row = 0; row < 50; row += 1) codes.rows[row] = row;
        codes.score(50, codes.weights);
        for (let row = 0; row < 50; row += 1) levels[row]![i] = codes.sums[row]!;
      }
      expect(new Set(levels.flatMap((of) => [...of])).size).toBeLessThanOrEqual(16);
      for (const of of levels) for (const level of of) expect(space.levels).toContain(level);
      const weight = fc.integer({ min: -32_768, max: 32_767 });
      const query = fc.array(weight, { minLength: DIMS, maxLength: DIMS });
      const some = fc.array(fc.nat({ max: 49 }), { minLength: 1, maxLength: 33 });
      fc.assert(
        fc.property(query, some, (weights, rows) => {
          codes.setQuery(Int16Array.from(weights));
          codes.rows.set(rows);
          codes.score(rows.length, codes.weights);
          const sums = rows.map((row) => weights.reduce((sum, w, i) => sum + w * levels[row]![i]!, 0));
          expect([...codes.sums.subarray(0, rows.length)]).toEqual(sums);
        }),
      );
    }
  });

  it("come close to inner products, as a query and as rows that are one", async () => {
    const stored = storedVectors(200, 5);
    const statistics = statisticsOf(stored);
    const space = new CodeSpace(statistics, "uniform");
    const codes = await RowCodes.create(200, space);
    codes.put(stored, 0, FULL);
    const [query, other] = [vectorAt(stored, 7), vectorAt(stored, 47)];
    const exact = query.reduce((sum, x, i) => sum + x * other[i]!, 0);
    const { weights, unit, base } = space.weigh(query);
    codes.setQuery(weights);
    codes.rows[0] = 47;
    codes.score(1, codes.weights);
    expect(base + unit * codes.sums[0]!).toBeCloseTo(exact, 1);
    codes.weighRow(7, codes.weights);
    codes.score(1, codes.weights);
    const mean = query.reduce((sum, x, i) => sum + x * (statistics.mean[i] ?? 0), 0);
    expect(mean + space.ofRows.unit * codes.sums[0]!).toBeCloseTo(exact, 1);
  });

  it("are the same for zeros and for dimensions without variance", async () => {
    const statistics = { dims: DIMS, mean: new Float32Array(DIMS), deviation: new Float32Array(DIMS) };
    const rows = await RowScan.create(4, statistics, "wide");
    rows.put(new Uint8Array(4 * BYTE_VECTOR), 0, FULL);
    const found = await rows.best(
      new Float32Array(FULL),
      Uint32Array.of(0, 1, 2, 3),
      2,
      new EventLoopQueue(),
    );
    expect(found.length).toBeGreaterThanOrEqual(2);
  });
});

describe("RowHeap", () => {
  it("gives rows by their keys, the least first", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1000, max: 1000 }), { maxLength: 600 }), (keys) => {
        const heap = new RowHeap(2);
        for (const [row, key] of keys.entries()) heap.push(key, row);
        const popped: number[] = [];
        while (heap.size > 0) {
          expect(keys[heap.first]).toBe(heap.least);
          popped.push(heap.least);
          heap.pop();
        }
        expect(popped).toEqual(keys.toSorted((a, b) => a - b));
      }),
    );
  });
});

describe("a graph at rest", () => {
  it("is read as it was written", async () => {
    const path = join(folder, "any.hnsw");
    const rows = fc.integer({ min: 1, max: 40 }).chain((count) => {
      const id = fc.nat({ max: count - 1 });
      const links = fc.uniqueArray(id, { maxLength: 48 });
      return fc.record({
        links: fc.array(links, { minLength: count, maxLength: count }),
        entries: fc.array(id, { maxLength: 5 }),
      });
    });
    await fc.assert(
      fc.asyncProperty(rows, async ({ links, entries }) => {
        const starts = Uint32Array.from(links, (_, row) => row * 48);
        const ends = Uint32Array.from(links, (of, row) => row * 48 + of.length);
        const ids = new Uint32Array(links.length * 48);
        for (const [row, of] of links.entries()) ids.set(of, row * 48);
        await writeGraph(path, { entries: Uint32Array.from(entries), links: { starts, ends, ids } });
        const read = await readGraph(path);
        expect([...read.entries]).toEqual(entries);
        const found = links.map((_, row) => [
          ...read.links.ids.subarray(read.links.starts[row]!, read.links.ends[row]!),
        ]);
        expect(found).toEqual(links.map((of) => of.toSorted((a, b) => a - b)));
      }),
      { numRuns: 50 },
    );
  });

  it("is refused where it is cut off, too long, or names rows that there are not", async () => {
    const path = join(folder, "damaged.hnsw");
    const whole = { starts: Uint32Array.of(0, 1), ends: Uint32Array.of(1, 2), ids: Uint32Array.of(1, 0) };
    await writeGraph(path, { entries: Uint32Array.of(0), links: whole });
    const bytes = await readFile(path);
    for (let length = 0; length < bytes.length; length += 1) {
      await writeFile(path, bytes.subarray(0, length));
      await expect(readGraph(path)).rejects.toMatchObject({ code: "vectors_unreadable" });
    }
    await writeFile(path, Buffer.concat([bytes, Buffer.of(0)]));
    await expect(readGraph(path)).rejects.toMatchObject({ code: "vectors_unreadable" });
    await writeGraph(path, { entries: Uint32Array.of(0), links: { ...whole, ids: Uint32Array.of(2, 0) } });
    await expect(readGraph(path)).rejects.toMatchObject({ code: "vectors_unreadable" });
  });
});

describe("a graph of a set", () => {
  const COUNT = 3_000;
  const stored = storedVectors(COUNT, 11);
  const statistics = statisticsOf(stored);

  const build = async (name: string, threads: number) => {
    const dir = await mkdtemp(join(folder, name));
    await writeFile(join(dir, "vectors.i8"), stored);
    await buildGraph(dir, statistics, "uniform", { threads });
    return dir;
  };

  it("is the same from any number of threads, and leads to every row", async () => {
    const [one, two, three] = [await build("one-", 0), await build("two-", 2), await build("three-", 3)];
    const bytes = await readFile(join(one, "graph.hnsw"));
    expect(bytes.equals(await readFile(join(two, "graph.hnsw")))).toBe(true);
    expect(bytes.equals(await readFile(join(three, "graph.hnsw")))).toBe(true);
    const { links } = await readGraph(join(one, "graph.hnsw"));
    const linked = new Set(links.ids);
    expect(linked.size).toBe(COUNT);
  });

  it("finds as many as are wanted, and what is nearest, under filters of any selectivity", {
    tags: "slow",
  }, async () => {
    const dir = await build("filters-", 0);
    const graph = await OpenGraph.open(dir, statistics, "uniform");
    graph.put(stored, 0, FULL);
    const queue = new EventLoopQueue();
    for (const every of [1, 2, 3, 10, 100, 1_000]) {
      const among = Uint32Array.from({ length: Math.ceil(COUNT / every) }, (_, i) => i * every);
      let hits = 0;
      let wanted = 0;
      for (const row of [5, 700, 1_501, 2_222]) {
        const query = vectorAt(stored, row);
        const breadth = Math.min(64, among.length);
        const found = await graph.nearest(query, breadth, queue, every === 1 ? {} : { among });
        expect(found.length).toBeGreaterThanOrEqual(breadth);
        expect([...found]).toEqual([...new Set(found)].sort((a, b) => a - b));
        expect(found.every((one) => one % every === 0)).toBe(true);
        const exact = nearestOf(stored, query, Math.min(10, among.length), (one) => one % every === 0);
        hits += exact.filter((one) => found.includes(one)).length;
        wanted += exact.length;
      }
      expect(hits / wanted).toBeGreaterThanOrEqual(0.95);
    }
  });

  it("is searched from hints, too", async () => {
    const dir = await build("hints-", 0);
    const graph = await OpenGraph.open(dir, statistics, "uniform");
    graph.put(stored, 0, FULL);
    const query = vectorAt(stored, 40);
    const hints = Uint32Array.of(40, 80);
    const found = await graph.nearest(query, 2, new EventLoopQueue(), { hints });
    expect(found).toContain(40);
  });

  it("stops where it is told to, and leaves no graph", async () => {
    const dir = await mkdtemp(join(folder, "aborted-"));
    await writeFile(join(dir, "vectors.i8"), stored);
    const reason = new Error("enough");
    const aborted = buildGraph(dir, statistics, "uniform", { threads: 2, signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
    await expect(readFile(join(dir, "graph.hnsw"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
