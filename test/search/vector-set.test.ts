import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileKernels, kernelsModule } from "../../scripts/kernel-source.js";
import { Best } from "../../src/search/vector/best.js";
import { buildVectorSet } from "../../src/search/vector/build-vector-set.js";
import { Kernels, packPanels } from "../../src/search/vector/kernels.js";
import { largest } from "../../src/search/vector/largest.js";
import { principalBasis } from "../../src/search/vector/pca.js";
import { VectorSet } from "../../src/search/vector/vector-set.js";

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
    const options = rows === undefined ? {} : { rows };
    const exact = await set.nearest(query, 10, { ...options, exact: true });
    const quick = await set.nearest(query, 10, options);
    expect(quick.rows).toHaveLength(exact.rows.length);
    found += quick.rows.filter((row) => exact.rows.includes(row)).length / exact.rows.length;
  }
  return found / 20;
}

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
      dims: fc.constantFrom(16, 32, 96),
      count: fc.integer({ min: 1, max: 9 }),
      seed: fc.integer(),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ dims, count, seed }) => {
        const kernels = await Kernels.create(65_536);
        const codes = new Int8Array(kernels.bytes.buffer, 4096, dims * count).map(
          (_, i) => (i * 31 + seed) % 128,
        );
        new Int8Array(kernels.bytes.buffer, 4096, codes.length).set(codes);
        const query = kernels.shorts(0, dims).map((_, i) => (i * 7919 + seed) % 20_000);
        kernels.shorts(0, dims).set(query);
        const expected = Array.from({ length: count }, (_, row) =>
          query.reduce((sum, q, i) => sum + q * codes[row * dims + i]!, 0),
        );
        kernels.scanRun(4096, count, dims, 0, 2048);
        expect([...kernels.integers(2048, count)]).toEqual(expected);
        kernels.integers(1024, count).set(expected.map((_, i) => count - 1 - i));
        kernels.scanRows(4096, 1024, count, dims, 0, 2048);
        expect([...kernels.integers(2048, count)]).toEqual(expected.reverse());
      }),
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
        const places = [...largest(Int32Array.from(values), limit)];
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
    const places = largest(many, 2_000);
    const least = Math.min(...places.map((place) => many[place]!));
    expect(places.length).toBeGreaterThanOrEqual(2_000);
    expect(places.length).toBeLessThan(3_000);
    expect(many.filter((value) => value >= least)).toHaveLength(places.length);
  });
});

describe("Best", () => {
  it("keeps what sorting would, ties by row, in any order of offers", () => {
    const offers = fc.uniqueArray(fc.tuple(fc.nat(1000), fc.integer({ min: 0, max: 5 })), {
      selector: ([row]) => row,
    });
    fc.assert(
      fc.property(offers, fc.integer({ min: 0, max: 20 }), (pairs, limit) => {
        const best = new Best(limit);
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
    expect(first.manifest).toMatchObject({ count: 3000, dims: FULL, basis: "leading", graphs: [] });
    for (const file of ["codes.i8", "scales.f32", "set.json"]) {
      const bytes = await readFile(join(first.dir, file));
      expect(bytes.equals(await readFile(join(second.dir, file)))).toBe(true);
    }
    const set = await VectorSet.open(first.dir);
    expect(await recall(set, all)).toBeGreaterThan(0.999);
    set.close();
  });

  it("takes the true dimension of zero-padded vectors", async () => {
    const { dir, manifest } = await build("padded-", clustered(500, 250, 3));
    expect(manifest.dims).toBe(256);
    const set = await VectorSet.open(dir);
    expect(set.vector(3)).toHaveLength(FULL);
    set.close();
  });

  it("projects a large set, and its graph and its filtered scan find what exact search does", async () => {
    const all = clustered(3_000, 600, 11);
    const { dir, manifest } = await build("large-", all, { graphFrom: 2_000, projectFrom: 2_000 });
    expect(manifest).toMatchObject({ dims: 384, basis: "principal" });
    expect(manifest.graphs).toHaveLength(1);
    const set = await VectorSet.open(dir);
    expect(set.hasGraph).toBe(true);
    const tenth = Uint32Array.from({ length: 600 }, (_, i) => i * 5);
    expect(await recall(set, all)).toBeGreaterThanOrEqual(0.98);
    expect(await recall(set, all, tenth)).toBeGreaterThanOrEqual(0.99);
    set.close();
  });

  it("gives all allowed rows where these are fewer than the limit", async () => {
    const all = clustered(1000, 64, 5);
    const { dir } = await build("few-", all);
    const set = await VectorSet.open(dir);
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
