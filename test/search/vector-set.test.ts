import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileKernels, kernelsModule } from "../../scripts/kernels/kernel-source.js";
import { buildVectorSet } from "../../src/search/vector/build-vector-set.js";
import {
  BINARY_CODE_ROWS,
  binaryCodeShape,
  binaryCodeTables,
  blockBytes,
  groupsOf,
  packBinaryCode,
} from "../../src/search/vector/codes/binary-code.js";
import { packCodes } from "../../src/search/vector/codes/code-scan.js";
import { principalBasis } from "../../src/search/vector/codes/pca.js";
import { QUANTIZERS, quantize } from "../../src/search/vector/codes/quantizer.js";
import { Kernels, packPanels } from "../../src/search/vector/kernels.js";
import { SearchPlan } from "../../src/search/vector/search-plan.js";
import { TopK } from "../../src/search/vector/top-k.js";
import { topKPlaces } from "../../src/search/vector/top-k-places.js";
import { VectorSet } from "../../src/search/vector/vector-set.js";
import { runs } from "../support/campaign.js";

const FULL = 1536;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-vectors-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Unit vectors around a few centres, in the first `used` dimensions; the rest is zero. */
function clustered(count: number, used: number, seed: number): Float32Array {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296 - 0.5;
  };
  const centres = Array.from({ length: 20 }, () => Float32Array.from({ length: used }, uniform));
  const all = new Float32Array(count * FULL);
  for (let row = 0; row < count; row += 1) {
    const vector = all.subarray(row * FULL, row * FULL + used);
    const centre = centres[row % centres.length]!;
    for (let i = 0; i < used; i += 1) vector[i] = centre[i]! + uniform();
    const length = Math.sqrt(innerProduct(vector, vector));
    for (let i = 0; i < used; i += 1) vector[i]! /= length;
  }
  return all;
}

/** Sums one after another: what the kernels' sums differ from by rounding alone. */
function innerProduct(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, x, i) => sum + x * b[i]!, 0);
}

async function build(name: string, all: Float32Array, options = {}) {
  const dir = await mkdtemp(join(folder, name));
  await writeFile(join(dir, "vectors.f32"), new Uint8Array(all.buffer));
  return { dir, manifest: await buildVectorSet(dir, { threads: 0, ...options }) };
}

async function recall(set: VectorSet, all: Float32Array, rows?: Uint32Array): Promise<number> {
  let found = 0;
  for (let q = 0; q < 20; q += 1) {
    const query = all.slice(q * 37 * FULL, q * 37 * FULL + FULL);
    const options = { rows };
    const exact = await set.nearest(query, 10, { ...options, exact: true });
    const quick = await set.nearest(query, 10, options);
    expect(quick.rows).toHaveLength(exact.rows.length);
    found += quick.rows.filter((row) => exact.rows.includes(row)).length / exact.rows.length;
  }
  return found / 20;
}

/** A certificate that says what depth suffices. */
const planned = (depth: number) => ({
  queries: 1,
  recall: [{ selectivity: 1, rows: 1, measured: [{ depth, recall10: 1, recall100: 1 }] }],
});

describe("kernels", () => {
  it("sum inner products and projections as plain loops do", async () => {
    const dims = 48;
    const kernels = await Kernels.create(65_536);
    const float = fc.float({ min: -1, max: 1, noNaN: true });
    const vector = fc.array(float, { minLength: dims, maxLength: dims });
    fc.assert(
      fc.property(vector, fc.array(vector, { minLength: 1, maxLength: 9 }), (query, rows) => {
        const [rowsAt, out] = [dims * 8, 32_768];
        kernels.doubles(0, dims).set(query);
        rows.forEach((row, i) => {
          kernels.floats(rowsAt + i * dims * 4, dims).set(row);
        });
        kernels.innerProducts(rowsAt, rows.length, dims, 0, out);
        rows.forEach((row, i) => {
          const sum = innerProduct(Float32Array.from(row), Float32Array.from(query));
          expect(kernels.doubles(out, rows.length)[i]).toBeCloseTo(sum, 12);
        });
        kernels.project(0, rows.length, rowsAt, dims, out);
        for (let column = 0; column < dims; column += 1) {
          const sum = rows.reduce((total, row, k) => total + query[k]! * row[column]!, 0);
          expect(kernels.doubles(out, dims)[column]).toBe(sum);
        }
      }),
    );
  });

  it("are the assembled text of kernels.wat", async () => {
    const source = new URL("../../src/search/vector/", import.meta.url);
    const binary = await compileKernels(await readFile(new URL("kernels.wat", source), "utf8"));
    expect(await readFile(new URL("kernels-binary.ts", source), "utf8")).toBe(kernelsModule(binary));
  });

  it("score codes as integer arithmetic does", async () => {
    const shape = fc.record({
      dims: fc.constantFrom(32, 64, 96),
      count: fc.integer({ min: 1, max: 3 }).map((fours) => fours * 4),
      seed: fc.integer(),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ dims, count, seed }) => {
        const kernels = await Kernels.create(65_536);
        const codes = Array.from({ length: count }, (_, row) =>
          Uint8Array.from({ length: dims }, (_, i) => (row * 5 + i * 31 + seed) & 15),
        );
        codes.forEach((code, row) => {
          packCodes(code, kernels.bytes.subarray(4096 + (row * dims) / 2, 4096 + ((row + 1) * dims) / 2));
        });
        const query = Int16Array.from({ length: dims }, (_, i) => ((i * 7919 + seed) % 65_535) - 32_767);
        kernels.shorts(0, dims).set(query);
        const rows = codes.map((_, i) => count - 1 - i);
        kernels.integers(1024, count).set(rows);
        kernels.scoreRows(4096, 1024, count, dims, 0, 2048);
        const expected = rows.map((row) => query.reduce((sum, q, i) => sum + q * codes[row]![i]!, 0));
        expect([...kernels.integers(2048, count)]).toEqual(expected);
      }),
    );
  });

  it("sum the table entries of sketches as plain loops do", async () => {
    const shape = fc.record({
      shape: fc.constantFrom(
        { dims: 32, bits: 4 } as const,
        { dims: 64, bits: 2 } as const,
        { dims: 768, bits: 1 } as const,
      ),
      blocks: fc.integer({ min: 1, max: 3 }),
      seed: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ shape, blocks, seed }) => {
        const kernels = await Kernels.create(65_536);
        const groups = groupsOf(shape);
        const size = blockBytes(shape);
        const [sumsAt, codesAt] = [4096, 8192];
        const codes = Array.from({ length: blocks * BINARY_CODE_ROWS }, (_, row) =>
          Uint8Array.from({ length: shape.dims }, (_, i) => (row * 7 + i * 13 + seed) % 2 ** shape.bits),
        );
        codes.forEach((code, row) => {
          const at = codesAt + Math.floor(row / BINARY_CODE_ROWS) * size;
          packBinaryCode(code, row % BINARY_CODE_ROWS, shape, kernels.bytes.subarray(at, at + size));
        });
        // Entries of two groups come to 255 at most, and can come to that: one group has the larger ones.
        const tables = Uint8Array.from({ length: groups * 16 }, (_, i) => {
          const most = (i >> 4) % 2 === 0 ? 171 : 84;
          return Math.floor(((Math.imul(i + seed, 2_654_435_761) >>> 24) * most) / 255);
        });
        kernels.bytes.set(tables);
        kernels.sumTables(codesAt, blocks, groups, 0, sumsAt);
        const perGroup = 4 / shape.bits;
        const expected = codes.map((code) => {
          let sum = 0;
          for (let group = 0; group < groups; group += 1) {
            let value = 0;
            for (let j = 0; j < perGroup; j += 1) value += code[group * perGroup + j]! << (j * shape.bits);
            sum += tables[group * 16 + value]!;
          }
          return sum;
        });
        expect([...kernels.sums(sumsAt, codes.length)]).toEqual(expected);
      }),
      runs(30),
    );
  });

  it("multiply matrices", async () => {
    const [rows, depth, columns] = [8, 5, 16];
    const left = Float32Array.from({ length: rows * depth }, (_, i) => (i % 11) - 5);
    const right = Float32Array.from({ length: depth * columns }, (_, i) => (i % 7) - 3);
    const kernels = await Kernels.create(65_536);
    kernels.floats(0, left.length).set(left);
    packPanels(right, depth, columns, kernels.floats(1024, right.length));
    kernels.multiply(0, rows, depth, 1024, columns, 4096);
    const product = Float32Array.from({ length: rows * columns }, (_, at) => {
      const [row, column] = [Math.floor(at / columns), at % columns];
      return Array.from(
        { length: depth },
        (_, k) => left[row * depth + k]! * right[k * columns + column]!,
      ).reduce((a, b) => a + b);
    });
    expect(kernels.floats(4096, rows * columns)).toEqual(product);
  });
});

describe("largest", () => {
  it("gives the largest scores, and beyond the limit the next ones, not many", () => {
    const score = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    const scores = fc.oneof(fc.array(score), fc.array(fc.integer({ min: 0, max: 9 })));
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 20 }), (values, limit) => {
        const places = [...topKPlaces(Int32Array.from(values), limit)];
        const sorted = values.toSorted((a, b) => b - a);
        const chosen = places.map((place) => values[place]!).sort((a, b) => b - a);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(chosen).toEqual(sorted.slice(0, chosen.length));
        expect(chosen.length).toBeGreaterThanOrEqual(Math.min(limit, values.length));
        const range = (sorted[0] ?? 0) - (sorted.at(-1) ?? 0) + 1;
        for (const extra of chosen.slice(limit))
          expect(sorted[limit - 1]! - extra).toBeLessThan(range / 2048);
      }),
    );
    const many = Int32Array.from({ length: 50_000 }, (_, i) => Math.imul(i, 2_654_435_761) >> 8);
    const places = topKPlaces(many, 2_000);
    const least = Math.min(...places.map((place) => many[place]!));
    expect(places.length).toBeGreaterThanOrEqual(2_000);
    expect(places.length).toBeLessThan(3_000);
    expect(many.filter((value) => value >= least)).toHaveLength(places.length);
  });
});

describe("quantizers", () => {
  const statistics = { mean: Float32Array.of(0.5, -1, 0), deviation: Float32Array.of(1, 0.25, 0) };

  it.each([1, 2, 4] as const)("of %i bits take the nearest level", (bits) => {
    const { levels } = QUANTIZERS[bits];
    const number = fc.double({ min: -5, max: 5, noNaN: true });
    fc.assert(
      fc.property(number, number, (a, b) => {
        const values = Float32Array.of(0.5 + a, -1 + b / 4, 0);
        const codes = new Uint8Array(3);
        quantize(values, statistics, QUANTIZERS[bits], codes);
        [values[0]! - 0.5, (values[1]! + 1) * 4].forEach((z, i) => {
          const distance = (level: number) => Math.abs(level - z);
          const least = Math.min(...levels.map(distance));
          expect(distance(levels[codes[i]!]!)).toBeLessThan(least + 1e-3);
        });
      }),
    );
  });

  it("order sketches' sums as the inner products of what they stand for", () => {
    const shape = binaryCodeShape(64);
    expect(shape).toEqual({ dims: 64, bits: 4 });
    const weight = fc.double({ min: -1, max: 1, noNaN: true });
    const weightsOf = fc.array(weight, { minLength: 64, maxLength: 64 });
    fc.assert(
      fc.property(weightsOf, (weights) => {
        const tables = new Uint8Array(groupsOf(shape) * 16);
        binaryCodeTables(Float64Array.from(weights), shape, tables);
        const sizes = weights.map(Math.abs);
        const widest = Math.max(
          ...sizes.map((size, group) => (group % 2 === 0 ? size + sizes[group + 1]! : 0)),
        );
        weights.forEach((weight, group) => {
          const entries = [...tables.subarray(group * 16, group * 16 + 16)];
          const sorted = entries.toSorted((a, b) => (weight < 0 ? b - a : a - b));
          expect(entries).toEqual(sorted);
          expect(Math.min(...entries)).toBe(0);
          if (widest > 0) expect(Math.max(...entries)).toBeCloseTo((Math.abs(weight) / widest) * 254, -0.31);
        });
        const most = (group: number) => Math.max(...tables.subarray(group * 16, group * 16 + 16));
        for (let group = 0; group < weights.length; group += 2)
          expect(most(group) + most(group + 1)).toBeLessThanOrEqual(255);
      }),
    );
  });

  it.each([
    [32, { dims: 32, bits: 4 }],
    [192, { dims: 192, bits: 4 }],
    [256, { dims: 256, bits: 2 }],
    [384, { dims: 384, bits: 2 }],
    [512, { dims: 512, bits: 1 }],
    [1536, { dims: 768, bits: 1 }],
  ])("spend at most 768 bits on vectors of %i dimensions", (dims, shape) => {
    expect(binaryCodeShape(dims)).toEqual(shape);
  });
});

describe("TopK", () => {
  it("keeps what sorting would, ties by row, in any order of offers", () => {
    const offers = fc.uniqueArray(fc.tuple(fc.nat(1000), fc.integer({ min: 0, max: 5 })), {
      selector: ([row]) => row,
    });
    fc.assert(
      fc.property(offers, fc.integer({ min: 0, max: 20 }), (pairs, limit) => {
        const best = new TopK(limit);
        for (const [row, score] of pairs) best.offer(row, score);
        const sorted = [...pairs].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, limit);
        expect(best.sorted()).toEqual({ rows: sorted.map((p) => p[0]), scores: sorted.map((p) => p[1]) });
      }),
    );
  });
});

describe("principalBasis", () => {
  it("is orthonormal and finds the directions that vary", async () => {
    const [rows, depth, columns] = [200, 32, 8];
    const sample = new Float32Array(rows * depth);
    for (let row = 0; row < rows; row += 1) {
      for (let i = 0; i < 8; i += 1) sample[row * depth + 3 * i] = Math.sin(row * (i + 1)) * (9 - i);
    }
    const basis = await principalBasis(sample, rows, depth, columns);
    for (let a = 0; a < columns; a += 1) {
      for (let b = 0; b < columns; b += 1) {
        let dot = 0;
        for (let k = 0; k < depth; k += 1) dot += basis[k * columns + a]! * basis[k * columns + b]!;
        expect(dot).toBeCloseTo(a === b ? 1 : 0, 4);
      }
    }
    const outside = [...basis].filter((_, at) => Math.floor(at / columns) % 3 !== 0);
    expect(Math.max(...outside.map(Math.abs))).toBeLessThan(1e-5);
  });
});

describe("VectorSet", () => {
  it("answers a small set as exact search does, and the same bytes on every build", async () => {
    const all = clustered(3000, FULL, 7);
    const first = await build("small-", all);
    const second = await build("small-", all);
    expect(first.manifest).toEqual({ formatVersion: 2, count: 3000, dims: FULL, codes: true });
    for (const file of ["codes.bin", "mean.f32", "deviation.f32", "set.json"]) {
      const bytes = await readFile(join(first.dir, file));
      expect(bytes.equals(await readFile(join(second.dir, file)))).toBe(true);
    }
    const set = await VectorSet.open(first.dir, first.manifest);
    expect(await recall(set, all)).toBeGreaterThan(0.999);
    set.close();
  });

  it("takes the true dimension of zero-padded vectors", async () => {
    const { dir, manifest } = await build("padded-", clustered(500, 250, 3));
    expect(manifest.dims).toBe(256);
    const set = await VectorSet.open(dir, manifest);
    expect(set.vector(3)).toHaveLength(FULL);
    set.close();
  });

  it("searches a large set by sketches, or by a graph, and finds what exact search does", async () => {
    const all = clustered(3_000, 600, 11);
    const tenth = Uint32Array.from({ length: 600 }, (_, i) => i * 5);
    for (const graphFrom of [Number.POSITIVE_INFINITY, 2_000]) {
      const { dir, manifest } = await build("large-", all, { graphFrom, binaryCodesFrom: 2_000 });
      expect(manifest).toMatchObject({ dims: 608, sketch: { dims: 608, bits: 1 } });
      expect(manifest.graphs?.files.length).toBe(graphFrom === 2_000 ? 1 : undefined);
      const set = await VectorSet.open(dir, manifest, new SearchPlan(planned(1024)));
      expect(set.hasGraph).toBe(graphFrom === 2_000);
      expect(await recall(set, all)).toBeGreaterThanOrEqual(0.98);
      expect(await recall(set, all, tenth)).toBeGreaterThanOrEqual(0.99);
      set.close();
    }
  });

  it("gives all allowed rows where these are fewer than the limit", async () => {
    const all = clustered(1000, 64, 5);
    const { dir, manifest } = await build("few-", all);
    const set = await VectorSet.open(dir, manifest);
    const answer = await set.nearest(all.slice(0, FULL), 10, { rows: Uint32Array.of(900, 4, 31) });
    expect([...answer.rows].sort((a, b) => a - b)).toEqual([4, 31, 900]);
    expect((await set.nearest(all.slice(0, FULL), 10, { rows: new Uint32Array() })).rows).toEqual([]);
    set.close();
  });

  it("refuses a file that is not whole vectors", async () => {
    const dir = await mkdtemp(join(folder, "torn-"));
    await writeFile(join(dir, "vectors.f32"), new Uint8Array(FULL * 4 + 1));
    await expect(buildVectorSet(dir)).rejects.toMatchObject({ code: "vectors_truncated" });
  });
});
