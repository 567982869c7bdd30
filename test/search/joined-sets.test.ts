import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { SEARCH_DEFAULTS } from "../../src/search/defaults.js";
import { joinSets, type SetOfSegment } from "../../src/search/segment/join-sets.js";
import { rowsWithin } from "../../src/search/vector/among-rows.js";
import { buildVectorSet } from "../../src/search/vector/build-vector-set.js";
import { BYTE_VECTOR, storeByteVector } from "../../src/search/vector/byte-vectors.js";
import { JoinedByteVectors, JoinedFloatVectors } from "../../src/search/vector/joined-vectors.js";
import { joinedRecall } from "../../src/search/vector/recall/joined-recall.js";
import type { MeasuredStep, SetRecall } from "../../src/search/vector/recall/set-recall.js";
import { SearchPlan } from "../../src/search/vector/search-plan.js";
import { joinSetFiles, type SetFolder } from "../../src/search/vector/set-files.js";
import { VECTOR_FILES } from "../../src/search/vector/vector-files.js";
import { VectorSet } from "../../src/search/vector/vector-set.js";
import type { VectorSetManifest } from "../../src/search/vector/vector-set-manifest.js";
import type { VectorNumbers } from "../../src/search/vector/vectors.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Rows of each set: one with codes, others without. */
const SIZES = [1_500, 300, 37];
const COUNT = SIZES.reduce((sum, size) => sum + size, 0);
const NUMBERS = ["int8", "float32"] as const satisfies readonly VectorNumbers[];
let folder: string;
/** Unit vectors around thirty centres. */
let all: Float32Array;
const parts = {} as Record<VectorNumbers, SetFolder[]>;
const whole = {} as Record<VectorNumbers, SetFolder>;

function centred(count: number): Float32Array {
  let state = 11;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const centres = Array.from({ length: 30 }, () => Float32Array.from({ length: dimensions }, uniform));
  const vectors = new Float32Array(count * dimensions);
  for (let row = 0; row < count; row += 1) {
    const vector = vectors.subarray(row * dimensions, (row + 1) * dimensions);
    for (let i = 0; i < dimensions; i += 1) vector[i] = centres[row % 30]![i]! + uniform();
    const length = Math.hypot(...vector);
    for (let i = 0; i < dimensions; i += 1) vector[i]! /= length;
  }
  return vectors;
}

async function build(numbers: VectorNumbers, vectors: Float32Array): Promise<SetFolder> {
  const dir = await mkdtemp(join(folder, "set-"));
  const rows = vectors.length / dimensions;
  if (numbers === "float32")
    await writeFile(join(dir, VECTOR_FILES.vectors), new Uint8Array(vectors.slice().buffer));
  else {
    const stored = new Uint8Array(rows * BYTE_VECTOR);
    for (let row = 0; row < rows; row += 1)
      storeByteVector(
        vectors.subarray(row * dimensions, (row + 1) * dimensions),
        true,
        stored.subarray(row * BYTE_VECTOR, (row + 1) * BYTE_VECTOR),
      );
    await writeFile(join(dir, VECTOR_FILES.byteVectors), stored);
  }
  return { dir, manifest: await buildVectorSet(dir, { numbers, threads: 0, codesFrom: 1_000 }) };
}

const queryOf = (row: number) => all.slice(row * dimensions, (row + 1) * dimensions);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-joined-"));
  all = centred(COUNT);
  for (const numbers of NUMBERS) {
    parts[numbers] = [];
    let first = 0;
    for (const size of SIZES) {
      parts[numbers].push(await build(numbers, all.slice(first * dimensions, (first + size) * dimensions)));
      first += size;
    }
    whole[numbers] = await build(numbers, all);
  }
});
afterAll(() => rm(folder, { recursive: true }));

describe.each(NUMBERS)("sets of %s that are searched as one", (numbers) => {
  it("read what they hold, whichever of them has it", () => {
    const joined = joinSetFiles(parts[numbers]);
    const one = joinSetFiles([whole[numbers]]);
    const vectors = joined.floats ?? joined.bytes;
    const asked = fc
      .tuple(fc.nat(COUNT - 1), fc.integer({ min: 1, max: 400 }))
      .map(([first, count]) => ({ first, count: Math.min(count, COUNT - first) }));
    fc.assert(
      fc.property(asked, ({ first, count }) => {
        const [found, expected] = [joined, one].map((files) => {
          const floats = new Float32Array(count * dimensions);
          (files.floats ?? files.bytes).readRun(first, count, floats);
          const bytes = new Uint8Array(count * BYTE_VECTOR + 3);
          files.bytes.readBytes(first, count, bytes, 3);
          return { floats, bytes };
        });
        expect(Buffer.compare(found!.bytes, expected!.bytes)).toBe(0);
        expect(Buffer.from(found!.floats.buffer).equals(Buffer.from(expected!.floats.buffer))).toBe(true);
        expect(vectors.read(first)).toEqual(found!.floats.slice(0, dimensions));
      }),
      { numRuns: 40 },
    );
    expect(vectors.count).toBe(COUNT);
    for (const read of [
      () => vectors.readRun(COUNT - 1, 2, new Float32Array(2 * dimensions)),
      () => vectors.read(COUNT),
      () => joined.bytes.readBytes(COUNT, 1, new Uint8Array(BYTE_VECTOR)),
    ])
      expect(read).toThrow(RangeError);
    for (const files of [joined, one]) files.close();
  });

  it("are scored exactly as one set of all rows is, among all and among some", async () => {
    const [joined, one] = [await VectorSet.join(parts[numbers]), await VectorSet.join([whole[numbers]])];
    const { bits } = RowSet.of(
      COUNT,
      Array.from({ length: 700 }, (_, i) => i * 2 + 400),
    );
    const rows = rowsWithin(bits, 0, COUNT);
    for (const row of [3, 1_499, 1_500, 1_801, COUNT - 1]) {
      for (const among of [undefined, rows]) {
        const options = { exact: true, rows: among };
        expect(await joined.nearest(queryOf(row), 120, options)).toEqual(
          await one.nearest(queryOf(row), 120, options),
        );
      }
      expect(joined.vector(row)).toEqual(one.vector(row));
    }
    joined.close();
    one.close();
  });

  it("find by the codes of all what is near, in the small ones too", async () => {
    const step = { by: "columns", breadth: 256, depth: 512, run: 128, patience: 2 } as const;
    const joined = await VectorSet.join(parts[numbers]);
    let found = 0;
    const asked = Array.from({ length: 30 }, (_, i) => Math.floor((i * COUNT) / 30) + 7);
    for (const row of asked) {
      const exact = await joined.nearest(queryOf(row), 20, { exact: true });
      const near = new Set((await joined.nearest(queryOf(row), 20, { step })).rows);
      expect(near.has(row)).toBe(true);
      found += exact.rows.filter((one) => near.has(one)).length;
    }
    expect(found / (asked.length * 20)).toBeGreaterThan(0.98);
    joined.close();
  });
});

it("rows of floats are read ahead in the sets that have them", async () => {
  const read: number[][] = [];
  const part = (count: number) => ({
    count,
    width: 1536,
    readAhead: async (rows: Uint32Array) => void read.push([...rows]),
    readInto: () => {},
    readRun: () => {},
    read: () => new Float32Array(),
    close: () => {},
  });
  await new JoinedFloatVectors([part(4), part(0), part(3), part(5)]).readAhead(Uint32Array.of(0, 3, 4, 11));
  expect(read).toEqual([[0, 3], [0], [4]]);
});

it("a set that is not whole is refused", () => {
  const [first, second] = parts.int8;
  const short = { ...second!, manifest: { ...second!.manifest, count: 301 } };
  expect(() => joinSetFiles([first!, short])).toThrow("300 vectors, not 301");
  expect(new JoinedByteVectors([]).count).toBe(0);
});

const step = (breadth: number, depth: number, recall: number): MeasuredStep => ({
  by: "columns",
  breadth,
  fine: breadth / 4,
  depth,
  run: 256,
  scored: depth / 2,
  recall10: 1,
  recall100: recall,
});
const recallOf = (
  ...entries: (readonly [selectivity: number, rows: number, MeasuredStep?])[]
): SetRecall => ({
  queries: 64,
  sample: "texts",
  recall: entries.map(([selectivity, rows, measured]) => ({
    selectivity,
    rows,
    measured: measured === undefined ? [] : [measured],
  })),
});

describe("how sets are searched as one", () => {
  it("is by the steps of the largest, made surer", () => {
    const large = recallOf(
      [1, 50_000, step(128, 2_048, 0.99)],
      [0.1, 5_000, step(160, 1_024, 0.98)],
      [0.01, 490],
    );
    const small = recallOf([1, 6_000, step(768, 4_096, 0.985)], [0.1, 600], [0.01, 60]);
    const joined = joinedRecall([
      { rows: 6_000, recall: small },
      { rows: 50_000, recall: large },
      { rows: 200, recall: undefined },
    ]);
    expect(joined!.recall).toEqual([
      { selectivity: 1, rows: 56_200, measured: [{ ...step(128, 2_048, 0.99), patience: 2 }] },
      { selectivity: 0.1, rows: 5_620, measured: [{ ...step(160, 1_024, 0.98), patience: 2 }] },
      { selectivity: 0.01, rows: 562, measured: [] },
    ]);
  });

  it("has more candidates where those of the largest are scored for as long as they can be", () => {
    const patient = { ...step(160, 4_096, 0.99), patience: 4 };
    const joined = joinedRecall([
      { rows: 500_000, recall: recallOf([1, 500_000, patient]) },
      { rows: 400_000, recall: undefined },
    ]);
    expect(joined!.recall).toEqual([
      { selectivity: 1, rows: 900_000, measured: [{ ...patient, depth: 8_192 }] },
    ]);
  });

  it("is as one that is alone is, or was not measured", () => {
    const one = recallOf([1, 50_000, step(128, 1_024, 0.99)], [0.1, 5_000]);
    expect(joinedRecall([{ rows: 50_000, recall: one }])).toBe(one);
    expect(joinedRecall([{ rows: 900, recall: undefined }])).toBeUndefined();
    expect(joinedRecall([])).toBeUndefined();
  });

  it("is exact where no step of the largest suffices", () => {
    const low = step(1536, 1_024, 0.6);
    const joined = joinedRecall([
      { rows: 50_000, recall: recallOf([1, 50_000, step(128, 2_048, 0.99)], [0.1, 5_000, low]) },
      { rows: 6_000, recall: recallOf([1, 6_000, step(192, 1_024, 0.99)], [0.1, 600]) },
    ]);
    const plan = new SearchPlan(joined);
    expect(plan.step(1)).toMatchObject({ by: "columns", breadth: 128, patience: 2 });
    expect(plan.step(0.1)).toBeUndefined();
  });

  it("is exact where all rows of the largest were scored, for they have few numbers, and those of others have more", () => {
    const sets = [
      { rows: 4_000, recall: recallOf([1, 4_000], [0.1, 400]) },
      { rows: 50, recall: undefined },
    ];
    expect(new SearchPlan(joinedRecall(sets, 384)).step(1)).toMatchObject({ by: "columns" });
    expect(new SearchPlan(joinedRecall(sets)).step(1)).toBeUndefined();
  });

  it("is by what more rows need where all that passed were scored, but more pass together", () => {
    const joined = joinedRecall([
      { rows: 40_000, recall: recallOf([1, 40_000, step(192, 2_048, 0.99)], [0.1, 4_000]) },
      { rows: 30_000, recall: recallOf([1, 30_000, step(128, 2_048, 0.99)], [0.1, 3_000]) },
    ]);
    expect(new SearchPlan(joined).step(0.1)).toMatchObject({ breadth: 192, depth: 2_048 });
  });
});

describe("sets of segments", () => {
  const set = (count: number, recall?: SetRecall, more: Partial<VectorSetManifest> = {}): SetOfSegment => ({
    dir: `set of ${count}`,
    manifest: {
      formatVersion: 4,
      count,
      numbers: "int8",
      dims: 1536,
      codes: count >= 4_096,
      graph: false,
      ...more,
    },
    recall,
  });
  const scanned = (count: number) => set(count, recallOf([1, count, step(128, 1_024, 0.99)]));
  const sizes = (sets: readonly SetOfSegment[]) =>
    joinSets(sets).map(({ first, count, parts, kept }) => ({ first, count, parts: parts.length, kept }));

  it("are one for a search", () => {
    expect(sizes([scanned(50_000), scanned(9_000), set(200), set(0)])).toEqual([
      { first: 0, count: 59_200, parts: 4, kept: 59_200 },
    ]);
    expect(sizes([set(900), set(100)])).toEqual([{ first: 0, count: 1_000, parts: 2, kept: 1_000 }]);
    expect(sizes([])).toEqual([]);
  });

  it("stay by themselves where a graph or exact scores find their rows", () => {
    const graph: MeasuredStep = { by: "graph", breadth: 0, depth: 512, run: 0, recall10: 1, recall100: 0.99 };
    const linked = set(8_000, recallOf([1, 8_000, graph]), { graph: true });
    const exact = set(7_000, recallOf([1, 7_000, step(1536, 1_024, 0.5)]));
    expect(sizes([scanned(50_000), set(100), linked, set(10), scanned(5_000), exact, set(20)])).toEqual([
      { first: 0, count: 50_100, parts: 2, kept: 50_100 },
      { first: 50_100, count: 8_000, parts: 1, kept: 8_000 },
      { first: 58_100, count: 5_010, parts: 2, kept: 5_010 },
      { first: 63_110, count: 7_000, parts: 1, kept: 7_000 },
      { first: 70_110, count: 20, parts: 1, kept: 20 },
    ]);
  });

  it("are no larger than one memory has room for", () => {
    expect(sizes([scanned(1_500_000), scanned(524_288), scanned(100_000), set(5)])).toMatchObject([
      { count: 2_024_288, parts: 2 },
      { first: 2_024_288, count: 100_005, parts: 2 },
    ]);
  });
});
