import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kernelsModule } from "../../scripts/kernels/kernel-source.js";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { listOf } from "../../src/search/vector/among-rows.js";
import { buildVectorSet } from "../../src/search/vector/build-vector-set.js";
import { ByteVectorReader } from "../../src/search/vector/byte-vector-reader.js";
import { BYTE_VECTOR, readByteVector, storeByteVector } from "../../src/search/vector/byte-vectors.js";
import { columnTables, offsetInPlane, planeBytesOf } from "../../src/search/vector/codes/column-codes.js";
import { cellCodes, cellFactors, QUANTIZERS } from "../../src/search/vector/codes/quantizer.js";
import { readGraph } from "../../src/search/vector/graph/graph-file.js";
import { CODING_DESK, Kernels, packPanels } from "../../src/search/vector/kernels.js";
import type { SearchStep } from "../../src/search/vector/recall/set-recall.js";
import { wholeQuery } from "../../src/search/vector/scores/byte-scores.js";
import { TopK } from "../../src/search/vector/scores/top-k.js";
import { topKPlaces } from "../../src/search/vector/scores/top-k-places.js";
import { SearchPlan } from "../../src/search/vector/search-plan.js";
import { VectorSet } from "../../src/search/vector/vector-set.js";
import { runs } from "../support/campaign.js";

const FULL = 1536;
const STORED = FULL + 4;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-vectors-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Unit vectors around a few centres, in the first `used` dimensions; the rest is zero. */
function clustered(count: number, used: number, seed: number, spread = 1): Float32Array {
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
    for (let i = 0; i < used; i += 1) vector[i] = centre[i]! + spread * uniform();
    const length = Math.sqrt(innerProduct(vector, vector));
    for (let i = 0; i < used; i += 1) vector[i]! /= length;
  }
  return all;
}

/** Sums one after another: what the kernels' sums differ from by rounding alone. A loop: tests sum a hundred million products. */
function innerProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}

/** What several tests read: made by the first one that asks. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

async function build(name: string, all: Float32Array, options = {}) {
  const dir = await mkdtemp(join(folder, name));
  await writeFile(join(dir, "vectors.f32"), new Uint8Array(all.buffer));
  return { dir, manifest: await buildVectorSet(dir, { numbers: "float32", threads: 0, ...options }) };
}

/** The same vectors as signed bytes. */
async function buildBytes(name: string, all: Float32Array, options = {}) {
  const dir = await mkdtemp(join(folder, name));
  await writeFile(join(dir, "vectors.i8"), stored(all));
  return { dir, manifest: await buildVectorSet(dir, { numbers: "int8", threads: 0, ...options }) };
}

function stored(all: Float32Array): Uint8Array {
  const bytes = new Uint8Array((all.length / FULL) * STORED);
  for (let row = 0; row < all.length / FULL; row += 1) {
    const vector = all.subarray(row * FULL, (row + 1) * FULL);
    storeByteVector(vector, true, bytes.subarray(row * STORED, (row + 1) * STORED));
  }
  return bytes;
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

/** A certificate that says what step suffices. */
const planned = (step: SearchStep) => ({
  queries: 1,
  sample: "vectors" as const,
  recall: [{ selectivity: 1, rows: 1, measured: [{ ...step, recall10: 1, recall100: 1 }] }],
});

describe("kernels", () => {
  it("sum inner products as plain loops do", async () => {
    const dims = 48;
    const kernels = Kernels.create(65_536);
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
      }),
    );
  });

  it("are the assembled text of kernels.wat, those of the embedder too", async () => {
    for (const [layer, shared] of [
      ["vector", true],
      ["vector/codes", true],
      ["embed", true],
    ] as const) {
      const source = new URL(`../../src/search/${layer}/`, import.meta.url);
      const text = await readFile(new URL("kernels.wat", source), "utf8");
      expect(await readFile(new URL("kernels-binary.ts", source), "utf8")).toBe(
        await kernelsModule(text, { shared }),
      );
    }
  });

  it("score signed bytes as integer arithmetic does", async () => {
    const shape = fc.record({
      dims: fc.constantFrom(16, 48, 1536),
      count: fc.integer({ min: 1, max: 3 }).map((fours) => fours * 4),
      seed: fc.integer(),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ dims, count, seed }) => {
        const kernels = Kernels.create(65_536);
        const [stride, at] = [dims + 4, 4096];
        const rows = Array.from({ length: count }, (_, row) => ({
          bytes: Int8Array.from({ length: dims }, (_, i) => ((row * 5 + i * 31 + seed) % 255) - 127),
          scale: Math.fround(1 / (row + 3)),
        }));
        rows.forEach(({ bytes, scale }, row) => {
          kernels.bytes.set(new Uint8Array(bytes.buffer), at + row * stride);
          new DataView(kernels.bytes.buffer).setFloat32(at + row * stride + dims, scale, true);
        });
        const query = Int16Array.from({ length: dims }, (_, i) => ((i * 7919 + seed) % 20_000) - 10_000);
        kernels.shorts(0, dims).set(query);
        const order = rows.map((_, i) => count - 1 - i);
        kernels.integers(3600, count).set(order);
        kernels.scoreBytes({ bytes: at, stride, dims }, 3600, count, 0, 3800);
        const expected = order.map(
          (row) => query.reduce((sum, q, i) => sum + q * rows[row]!.bytes[i]!, 0) * rows[row]!.scale,
        );
        expect([...kernels.doubles(3800, count)]).toEqual(expected);
      }),
      runs(30),
    );
  });

  it("sum the table entries of planes as plain loops do", async () => {
    const shape = fc.record({
      dims: fc.constantFrom(16, 32),
      units: fc.integer({ min: 1, max: 6 }).map((fours) => fours * 4),
      rows: fc.integer({ min: 1, max: 8 }).map((parts) => parts * 64),
      seed: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ dims, units, rows, seed }) => {
        const kernels = Kernels.create(65_536);
        const [offsets, sums, codesAt] = [1024, 4096, 8192];
        const planeBytes = planeBytesOf(rows);
        const codes = Array.from({ length: rows }, (_, row) =>
          Uint8Array.from({ length: dims * 2 }, (_, plane) => (row * 7 + plane * 13 + seed) % 4),
        );
        codes.forEach((code, row) => {
          const { at, shift } = placeOf(row);
          const place = codesAt + at;
          code.forEach((bits, plane) => {
            kernels.bytes[place + plane * planeBytes]! |= bits << shift;
          });
        });
        const planes = Array.from({ length: units * 2 }, (_, i) => (i * 5 + seed) % (dims * 2));
        kernels.integers(offsets, planes.length).set(planes.map((plane) => plane * planeBytes));
        // Entries of four units come to 255 at most, and can come to that: one of them has the larger ones.
        const tables = Uint8Array.from({ length: units * 16 }, (_, i) => {
          const most = (i >> 4) % 4 === 0 ? 105 : 50;
          return Math.floor(((Math.imul(i + seed, 2_654_435_761) >>> 24) * most) / 255);
        });
        kernels.bytes.set(tables);
        kernels.sumColumns({ planes: codesAt, bytes: rows / 4 }, { offsets, units, tables: 0 }, sums);
        const expected = codes.map((code) =>
          Array.from(
            { length: units },
            (_, i) => tables[i * 16 + code[planes[i * 2]!]! + 4 * code[planes[i * 2 + 1]!]!]!,
          ).reduce((a, b) => a + b),
        );
        expect([...kernels.sums(sums, codes.length)]).toEqual(expected);
      }),
      runs(30),
    );
  });

  it("multiply matrices", async () => {
    const [rows, depth, columns] = [8, 5, 16];
    const left = Float32Array.from({ length: rows * depth }, (_, i) => (i % 11) - 5);
    const right = Float32Array.from({ length: depth * columns }, (_, i) => (i % 7) - 3);
    const kernels = Kernels.create(65_536);
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

/** Where a row has its 2 bits in each plane. */
function placeOf(row: number): { readonly at: number; readonly shift: number } {
  const inGroup = row % 64;
  return { at: offsetInPlane(row - inGroup) + (inGroup % 16), shift: Math.floor(inGroup / 16) * 2 };
}

/** Codes vectors by the kernel; returns the codes of a row. */
async function codedRows(
  vectors: readonly { readonly bytes: Int8Array; readonly scale: number }[],
  {
    factors,
    added,
    cells,
  }: {
    readonly factors: readonly number[];
    readonly added: readonly number[];
    readonly cells: readonly number[];
  },
) {
  const dims = factors.length;
  const planeBytes = planeBytesOf(vectors.length);
  const places = { factors: 0, added: dims * 4, cells: dims * 8, desk: dims * 8 + 64 };
  const rows = places.desk + CODING_DESK;
  const codes = rows + 64 * BYTE_VECTOR;
  const kernels = Kernels.create(codes + dims * 2 * planeBytes);
  kernels.floats(places.factors, dims).set(factors);
  kernels.floats(places.added, dims).set(added);
  kernels.bytes.set(cells, places.cells);
  for (let first = 0; first < vectors.length; first += 64) {
    vectors.slice(first, first + 64).forEach(({ bytes, scale }, i) => {
      const at = rows + i * BYTE_VECTOR;
      kernels.bytes.set(new Uint8Array(bytes.buffer), at);
      kernels.floats(at + FULL, 1)[0] = scale;
    });
    for (let part = 0; part < dims; part += 32) {
      const some = { first: part, dims: Math.min(32, dims - part) };
      kernels.codeRows(rows, some, places, { codes: codes + offsetInPlane(first), planeBytes });
    }
  }
  return (row: number) => {
    const { at, shift } = placeOf(row);
    const bits = (plane: number) => (kernels.bytes[codes + plane * planeBytes + at]! >> shift) & 3;
    return factors.map((_, i) => bits(i * 2) * 4 + bits(i * 2 + 1));
  };
}

/** The whole part of a number, within 0 to 63. */
const cellOf = (value: number) => Math.max(0, Math.min(63, Math.floor(value)));

describe("codes", () => {
  const statistics = { mean: Float32Array.of(0.5, -1, 0), deviation: Float32Array.of(1, 0.25, 0) };

  /** The codes of numbers of three dimensions, given as deviations from the mean. */
  const codesOf = (name: keyof typeof QUANTIZERS, a: number, b: number) => {
    const values = Float32Array.of(0.5 + a, -1 + b / 4, 0);
    const { factors, added } = cellFactors(statistics, QUANTIZERS[name]);
    const codes = cellCodes(QUANTIZERS[name]);
    return [...values].map((value, i) => codes[cellOf(value * factors[i]! + added[i]!)]!);
  };

  it("take the nearest level", () => {
    const { levels } = QUANTIZERS.uniform;
    const number = fc.double({ min: -5, max: 5, noNaN: true });
    fc.assert(
      fc.property(number, number, (a, b) => {
        const codes = codesOf("uniform", a, b);
        expect(codes[2]).toBe(8);
        [a, b].forEach((z, i) => {
          const distance = (level: number) => Math.abs(level - z);
          const least = Math.min(...levels.map(distance));
          expect(distance(levels[codes[i]!]!)).toBeLessThan(least + 1e-3);
        });
      }),
    );
  });

  it("have the order of the numbers, and levels within their intervals", () => {
    for (const name of ["uniform", "wide"] as const) {
      const { width, cells, levels, dither } = QUANTIZERS[name];
      expect(cells.reduce((sum, count) => sum + count, 0)).toBe(64);
      let from = -32;
      cells.forEach((count, code) => {
        // Numbers beyond the cells have the outermost codes.
        if (code > 0) expect(levels[code]).toBeGreaterThan(from * width);
        if (code < 15) expect(levels[code]).toBeLessThan((from + count) * width);
        from += count;
      });
      const number = fc.double({ min: -12, max: 12, noNaN: true });
      fc.assert(
        fc.property(number, number, (a, b) => {
          const [low, high] = [codesOf(name, Math.min(a, b), 0)[0]!, codesOf(name, Math.max(a, b), 0)[0]!];
          expect(low).toBeLessThanOrEqual(high);
          if (Math.abs(a) > dither + 1e-6) expect(codesOf(name, a, 0)[0]! >= 8).toBe(a > 0);
        }),
      );
    }
  });

  it("are in the middle where there is no variance, or too little to divide by", () => {
    const few = { mean: Float32Array.of(0, 1, 0, 1e-39), deviation: Float32Array.of(0, 1e-39, 1e-45, 1e-45) };
    const { factors, added } = cellFactors(few, QUANTIZERS.uniform);
    expect([[...factors], [...added]]).toEqual([new Array(4).fill(0), new Array(4).fill(32)]);
  });

  it("have bounds that differ by dimension where they are dithered", () => {
    const many = { mean: new Float32Array(1536), deviation: new Float32Array(1536).fill(1) };
    const shifts = (name: keyof typeof QUANTIZERS) =>
      [...cellFactors(many, QUANTIZERS[name]).added].map((added) => added - 32);
    expect(new Set(shifts("uniform"))).toEqual(new Set([0]));
    const wide = shifts("wide").map((shift) => shift * QUANTIZERS.wide.width);
    const [least, most] = [Math.min(...wide), Math.max(...wide)];
    expect([least.toFixed(2), most.toFixed(2)]).toEqual(["-0.20", "0.20"]);
    expect(Math.abs(wide.reduce((sum, shift) => sum + shift, 0) / 1536)).toBeLessThan(0.001);
  });

  it("of stored vectors are those of plain loops, four rows a byte, in two planes", async () => {
    const dims = 48;
    const vector = fc
      .record({ seed: fc.nat(), scale: fc.float({ min: 0, max: 4, noNaN: true }) })
      .map(({ seed, scale }) => ({
        bytes: Int8Array.from({ length: FULL }, (_, i) => Math.imul(i + seed, 2_654_435_761) >> 24),
        scale,
      }));
    const vectorsOf = fc.array(vector, { minLength: 1, maxLength: 140, size: "max" });
    const number = fc.float({ min: -20, max: 20, noNaN: true });
    const numbersOf = fc.array(number, { minLength: dims, maxLength: dims });
    const cellsOf = fc.array(fc.nat(15), { minLength: 64, maxLength: 64 });
    await fc.assert(
      fc.asyncProperty(vectorsOf, numbersOf, numbersOf, cellsOf, async (vectors, factors, added, cells) => {
        const coded = await codedRows(vectors, { factors, added, cells });
        vectors.forEach(({ bytes, scale }, row) => {
          const wanted = factors.map((factor, i) => {
            const product = Math.fround(Math.fround(bytes[i]! * scale) * factor);
            return cells[cellOf(Math.fround(product + added[i]!))];
          });
          expect(coded(row)).toEqual(wanted);
        });
      }),
      runs(20),
    );
  });

  it("of numbers that are whole, or next to it, or far beyond all cells, are those of their cells", async () => {
    const below = (number: number) => {
      const bits = new DataView(new ArrayBuffer(4));
      bits.setFloat32(0, number);
      bits.setInt32(0, bits.getInt32(0) - Math.sign(number));
      return bits.getFloat32(0);
    };
    const whole = Array.from({ length: 65 }, (_, cell) => cell);
    const far = [-1, -0, 65, 127, 128, 1e9, 3e38, 1e-45, 2 ** -18].flatMap((number) => [number, -number]);
    const numbers = [...whole, ...whole.slice(1).map(below), ...far];
    while (numbers.length % 16 > 0) numbers.push(0);
    const cells = whole.slice(0, 64).map((cell) => (cell * 5) % 16);
    const zeros = { bytes: new Int8Array(FULL), scale: 1 };
    const ones = { bytes: new Int8Array(FULL).fill(1), scale: 1 };
    // As what is added, and as the product.
    const alone = await codedRows([zeros], { factors: numbers.map(() => 1), added: numbers, cells });
    const product = await codedRows([ones], { factors: numbers, added: numbers.map(() => 0), cells });
    const wanted = numbers.map((number) => cells[cellOf(number)]);
    expect([alone(0), product(0)]).toEqual([wanted, wanted]);
  });

  it("have tables of the heaviest dimensions, in order of what codes stand for, whose sums fit", () => {
    const weight = fc.float({ min: -1, max: 1, noNaN: true });
    const weightsOf = fc.array(weight, { minLength: 64, maxLength: 64 });
    const widthOf = fc
      .tuple(fc.nat(32), fc.nat(16))
      .map(([fine, pairs]) => ({ fine, breadth: fine + pairs * 2 }));
    const quantizerOf = fc.constantFrom(...Object.values(QUANTIZERS));
    fc.assert(
      fc.property(weightsOf, widthOf, quantizerOf, (weights, { breadth, fine }, quantizer) => {
        const { planes, tables } = columnTables(Float64Array.from(weights), { breadth, fine }, quantizer);
        const units = Array.from({ length: planes.length / 2 }, (_, i) => ({
          of: [planes[i * 2]!, planes[i * 2 + 1]!] as const,
          entries: [...tables.subarray(i * 16, i * 16 + 16)],
        }));
        const filled = units.splice(fine + (breadth - fine) / 2);
        expect(filled.length).toBe(-units.length & 3);
        for (const { entries } of filled) expect(Math.max(...entries)).toBe(0);
        const whole = units.filter(({ of }) => of[0] === of[1] + 1);
        const halves = units.filter(({ of }) => of[0] !== of[1] + 1);
        const dimensions = [
          whole.map(({ of }) => of[1] / 2),
          halves.flatMap(({ of }) => of.map((at) => at / 2)),
        ];
        expect(dimensions[0]!.length).toBe(fine);
        expect(new Set(dimensions.flat()).size).toBe(breadth);
        // No dimension left out is heavier than one that is in, and none of two bits than one of four.
        const size = (dimension: number) => Math.abs(Math.fround(weights[dimension]!));
        const left = [...weights.keys()].filter((at) => !dimensions.flat().includes(at));
        const least = (of: readonly number[]) => Math.min(...of.map(size));
        const most = (of: readonly number[]) => Math.max(0, ...of.map(size));
        if (breadth > 0) expect(least(dimensions.flat())).toBeGreaterThanOrEqual(most(left));
        expect(least(dimensions[0]!)).toBeGreaterThanOrEqual(most(dimensions[1]!));
        // By loops: an expect takes longer than all of them.
        const unordered: unknown[] = [];
        const ordered = (values: readonly number[], dimension: number) => {
          const sign = weights[dimension]! < 0 ? -1 : 1;
          if (values.some((value, i) => i > 0 && (value - values[i - 1]!) * sign < 0))
            unordered.push([dimension, values]);
        };
        expect(units.filter(({ entries }) => Math.min(...entries) !== 0)).toEqual([]);
        for (const { of, entries } of whole) ordered(entries, of[1] / 2);
        for (const { of, entries } of halves) {
          for (let i = 0; i < 4; i += 1) {
            ordered(entries.slice(i * 4, i * 4 + 4), of[0] / 2);
            ordered(
              [0, 4, 8, 12].map((at) => entries[at + i]!),
              of[1] / 2,
            );
          }
        }
        expect(unordered).toEqual([]);
        const largest = units.map(({ entries }) => Math.max(...entries));
        const sums = largest.flatMap((_, i) =>
          i % 4 === 0 ? largest.slice(i, i + 4).reduce((a, b) => a + b) : [],
        );
        expect(Math.max(0, ...sums)).toBeLessThanOrEqual(255);
      }),
    );
  });

  it("have sums of 16 bits, however many dimensions are summed", () => {
    const weights = new Float64Array(FULL).fill(0.3);
    const { tables } = columnTables(weights, { breadth: FULL, fine: FULL }, QUANTIZERS.uniform);
    let most = 0;
    for (let i = 0; i < FULL; i += 1) most += Math.max(...tables.subarray(i * 16, i * 16 + 16));
    expect(most).toBeLessThanOrEqual(65_535);
    expect(most).toBeGreaterThan(30_000);
  });

  it("have coarse levels among those of the codes that they stand for", () => {
    for (const { levels, coarse } of Object.values(QUANTIZERS)) {
      coarse.forEach((level, i) => {
        expect(level).toBeGreaterThan(levels[i * 4]!);
        expect(level).toBeLessThan(levels[i * 4 + 3]!);
      });
    }
  });
});

describe("vectors of signed bytes", () => {
  it("are of length 1, and what they were to a part in 254 of the largest number", () => {
    const values = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: FULL, maxLength: FULL });
    fc.assert(
      fc.property(values, (numbers) => {
        const vector = Float32Array.from(numbers);
        const length = Math.sqrt(innerProduct(vector, vector));
        fc.pre(length > 1e-3);
        const bytes = new Uint8Array(STORED);
        storeByteVector(vector, true, bytes);
        const read = new Float32Array(FULL);
        readByteVector(bytes, read);
        expect(innerProduct(read, read)).toBeCloseTo(1, 5);
        expect(innerProduct(read, vector) / length).toBeGreaterThan(0.999);
      }),
      runs(20),
    );
    const zeros = new Uint8Array(STORED);
    storeByteVector(new Float32Array(FULL), true, zeros);
    expect(zeros).toEqual(new Uint8Array(STORED));
  });

  it("are read by the kernels as by a loop over numbers, zeros behind those that are stored", () => {
    const widths = fc.integer({ min: 1, max: FULL / 32 }).map((times) => times * 32);
    fc.assert(
      fc.property(
        widths,
        fc.nat(),
        fc.float({ noNaN: true, noDefaultInfinity: true }),
        (width, seed, scale) => {
          const reader = new ByteVectorReader(width);
          // What is in a reader from before stays nowhere.
          for (let again = 0; again < 2; again += 1) {
            for (let i = 0; i < width; i += 1)
              reader.stored[i] = Math.imul(seed + i + again, 0x9e3779b1) >>> 24;
            new DataView(reader.stored.buffer, reader.stored.byteOffset + width).setFloat32(0, scale, true);
            const expected = new Float32Array(FULL);
            readByteVector(reader.stored, expected);
            const into = new Float32Array(FULL).fill(7);
            reader.readInto(into);
            expect(into).toEqual(expected);
            expect(reader.read()).toEqual(expected);
          }
        },
      ),
      runs(40),
    );
  });

  it("meet queries whose sums stay within 32 bits", () => {
    for (const query of [new Float32Array(FULL).fill(0.025), Float32Array.of(1, ...new Float32Array(1535))]) {
      const { values, unit } = wholeQuery(query);
      const most = values.reduce((sum, value) => sum + Math.abs(value) * 127, 0);
      expect(most).toBeLessThan(2 ** 31);
      values.forEach((value, i) => {
        expect(value * unit).toBeCloseTo(query[i]!, 4);
      });
    }
  });
});

describe("TopK", () => {
  it("keeps what sorting would, ties by row, in any order of offers", () => {
    const offers = fc.uniqueArray(fc.tuple(fc.nat(1000), fc.integer({ min: 0, max: 50 })), {
      selector: ([row]) => row,
      maxLength: 400,
      size: "max",
    });
    fc.assert(
      fc.property(offers, fc.integer({ min: 0, max: 60 }), fc.nat(400), (pairs, limit, looks) => {
        const best = new TopK(limit);
        const sorted: [number, number][] = [];
        for (const [i, [row, score]] of pairs.entries()) {
          best.offer(row, score);
          sorted.push([row, score]);
          if (i % 50 !== looks % 50) continue;
          // Asked for in between, what is kept is the same.
          sorted.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
          const worst = sorted[limit - 1]?.[1] ?? Number.NEGATIVE_INFINITY;
          expect(best.floor).toBe(worst);
          expect([...best.rows()].sort()).toEqual(
            sorted
              .slice(0, limit)
              .map(([kept]) => kept)
              .sort(),
          );
        }
        sorted.sort((a, b) => b[1] - a[1] || a[0] - b[0]).splice(limit);
        expect(best.sorted()).toEqual({ rows: sorted.map((p) => p[0]), scores: sorted.map((p) => p[1]) });
      }),
    );
  });
});

describe("VectorSet", () => {
  it("answers a small set as exact search does, and the same bytes on every build", async () => {
    const all = clustered(3000, FULL, 7);
    const first = await build("small-", all);
    const second = await build("small-", all);
    expect(first.manifest).toEqual({
      formatVersion: 4,
      count: 3000,
      numbers: "float32",
      dims: FULL,
      codes: false,
      graph: false,
    });
    for (const file of ["vectors.i8", "mean.f32", "deviation.f32", "set.json"]) {
      const bytes = await readFile(join(first.dir, file));
      expect(bytes.equals(await readFile(join(second.dir, file)))).toBe(true);
    }
    const set = await VectorSet.open(first.dir, first.manifest);
    expect(await recall(set, all)).toBeGreaterThan(0.999);
    set.close();
  });

  it.each([
    ["without codes", {}],
    ["with codes", { codesFrom: 1_000 }],
    ["with a graph", { codesFrom: 1_000, graphFrom: 1_000 }],
  ])("%s orders by its floats all that it gives", async (_, options) => {
    const all = clustered(1_500, 64, 5, 0.3);
    const { dir, manifest } = await build("floats-", all, options);
    const step: SearchStep = manifest.graph
      ? { by: "graph", breadth: 0, depth: 1024, run: 0 }
      : { by: "columns", breadth: 256, depth: 1024, run: 128, patience: 4 };
    const set = await VectorSet.open(dir, manifest, { plan: new SearchPlan(planned(step)) });
    for (const limit of [1, 150, 300, 700]) {
      const query = all.slice(limit * FULL, (limit + 1) * FULL);
      const exact = await set.nearest(query, manifest.count, { exact: true });
      const scores = new Map(exact.rows.map((row, place) => [row, exact.scores[place]!]));
      const found = await set.nearest(query, limit);
      expect(found.scores).toEqual(found.rows.map((row) => scores.get(row)));
      expect(found.scores).toEqual(found.scores.toSorted((a, b) => b - a));
      if (!manifest.codes) expect(found.rows).toEqual(exact.rows.slice(0, limit));
    }
    set.close();
  });

  it("gives equal vectors in the order of their rows, whatever of them is listed", async () => {
    const some = clustered(2, 64, 9);
    const all = new Float32Array(2_000 * FULL);
    for (let row = 0; row < 2_000; row += 1)
      all.set(some.subarray((row % 2) * FULL, ((row % 2) + 1) * FULL), row * FULL);
    const { dir, manifest } = await build("alike-", all);
    const set = await VectorSet.open(dir, manifest);
    for (const query of [some.slice(0, FULL), new Float32Array(FULL)])
      expect(await set.nearest(query, 1_200)).toEqual(await set.nearest(query, 1_200, { exact: true }));
    set.close();
  });

  it("takes the true dimension of zero-padded vectors", async () => {
    const { dir, manifest } = await build("padded-", clustered(500, 250, 3));
    expect(manifest.dims).toBe(256);
    const set = await VectorSet.open(dir, manifest);
    expect(set.vector(3)).toHaveLength(FULL);
    set.close();
  });

  it("searches a large set by codes, or by a graph, and finds what exact search does", {
    tags: "slow",
  }, async () => {
    const all = clustered(3_000, 240, 11);
    const tenth = Uint32Array.from({ length: 600 }, (_, i) => i * 5);
    const searches = [
      { make: build, graphFrom: 5_000, step: { by: "columns", breadth: 256, depth: 1024, run: 128 } },
      { make: buildBytes, graphFrom: 2_000, step: { by: "graph", breadth: 0, depth: 1024, run: 0 } },
    ] as const;
    for (const { make, graphFrom, step } of searches) {
      const { dir, manifest } = await make("large-", all, { graphFrom, codesFrom: 2_000 });
      expect(manifest).toMatchObject({ dims: 256, codes: true });
      expect(manifest.graph).toBe(step.by === "graph");
      const set = await VectorSet.open(dir, manifest, { plan: new SearchPlan(planned(step)) });
      expect(set.hasGraph).toBe(step.by === "graph");
      expect(await recall(set, all)).toBeGreaterThanOrEqual(0.98);
      expect(await recall(set, all, tenth)).toBeGreaterThanOrEqual(0.99);
      set.close();
    }
  });

  it("gives equal vectors one node of a graph and zeros none, and finds them all", async () => {
    const all = clustered(3_000, 240, 17);
    const first = all.slice(0, FULL);
    for (let row = 100; row < 1_600; row += 1) all.set(first, row * FULL);
    all.fill(0, 2_000 * FULL, 2_900 * FULL);
    const { dir, manifest } = await buildBytes("twins-", all, { graphFrom: 2_000, codesFrom: 2_000 });
    expect(manifest.graph).toBe(true);
    const { links } = await readGraph(join(dir, "graph.hnsw"));
    expect(links.starts.filter((start, row) => links.ends[row]! > start)).toHaveLength(600);
    const step = { by: "graph", breadth: 0, depth: 128, run: 0 } as const;
    const set = await VectorSet.open(dir, manifest, { plan: new SearchPlan(planned(step)) });
    const { rows } = await set.nearest(first, 1_501);
    expect(rows).toEqual([0, ...Array.from({ length: 1_500 }, (_, i) => 100 + i)]);
    const most = Uint32Array.from({ length: 2_900 }, (_, i) => 100 + i);
    expect((await set.nearest(first, 3, { rows: most })).rows).toEqual([100, 101, 102]);
    expect((await set.nearest(first, 2_500)).rows).toHaveLength(2_500);
    set.close();
  });

  it("builds a graph on its own only where a trial finds what is nearest", { tags: "slow" }, async () => {
    const [near, far] = [clustered(2_500, 96, 19), clustered(2_500, 320, 19, 100)];
    const options = { index: "auto", graphFrom: 2_000, codesFrom: 2_000 } as const;
    const graphsOf = async (name: string, all: Float32Array, queries: Float32Array, wish = {}) => {
      const made = await mkdtemp(join(folder, name));
      await writeFile(join(made, "vectors.f32"), new Uint8Array(all.buffer));
      await writeFile(join(made, "queries.f32"), new Uint8Array(queries.buffer));
      const manifest = await buildVectorSet(made, { numbers: "float32", threads: 0, ...options, ...wish });
      expect(await readdir(made)).not.toContain("trial");
      return manifest.graph;
    };
    expect(await graphsOf("near-", near, near.slice(0, 16 * FULL))).toBe(true);
    // Queries along one axis each, as one word may be: nothing in the graph leads to what has most of it.
    const axes = new Float32Array(16 * FULL);
    for (let q = 0; q < 16; q += 1) axes[q * FULL + q * 5] = q % 2 === 0 ? 1 : -1;
    expect(await graphsOf("far-", far, axes)).toBe(false);
    expect(await graphsOf("scan-", near, near.slice(0, 16 * FULL), { index: "scan" })).toBe(false);
  });

  const wide = once(() => clustered(3_000, FULL, 13));
  it("scores and reads the same from memory, from the file, and partly from each", async () => {
    const all = wide();
    const { dir, manifest } = await buildBytes("kept-", all);
    const [kept, ...others] = await Promise.all(
      [undefined, 0, 1, 1_234, 2_999, 3_000].map((kept) => VectorSet.open(dir, manifest, { kept })),
    );
    // While vectors are still read into memory, a single one comes from the file.
    const first = kept!.vector(17);
    for (const row of [0, 17, 2_999]) {
      const query = all.slice(row * FULL, (row + 1) * FULL);
      const found = await kept!.nearest(query, 20);
      expect(found.rows[0]).toBe(row);
      for (const other of others) {
        expect(await other.nearest(query, 20)).toEqual(found);
        expect(other.vector(row)).toEqual(kept!.vector(row));
      }
    }
    expect(kept!.vector(17)).toEqual(first);
    for (const set of [kept!, ...others]) set.close();
  });

  it("finds the same however often what it keeps has changed", async () => {
    const all = wide();
    const { dir, manifest } = await buildBytes("changed-", all, { codesFrom: 1_000 });
    const plan = () => new SearchPlan(planned({ by: "columns", breadth: 128, depth: 1_024, run: 256 }));
    const [whole, some, none] = await Promise.all(
      [3_000, 300, 0].map((kept) => VectorSet.open(dir, manifest, { kept, plan: plan() })),
    );
    for (let row = 0; row < 3_000; row += 40) {
      const query = all.slice(row * FULL, (row + 1) * FULL);
      const found = await whole!.nearest(query, 20);
      expect(found.rows[0]).toBe(row);
      expect(await some!.nearest(query, 20)).toEqual(found);
      expect(await none!.nearest(query, 20)).toEqual(found);
    }
    for (const set of [whole!, some!, none!]) set.close();
  });

  const alike = once(() => clustered(5_000, 240, 29));
  const withColumns = once(() => buildBytes("bits-", alike(), { codesFrom: 1_000 }));
  const withGraph = once(() => buildBytes("bits-", alike(), { codesFrom: 1_000, graphFrom: 2_000 }));
  it.each([
    { by: "columns", breadth: 128, depth: 512, run: 128 },
    { by: "columns", breadth: 96, depth: 64, run: 0 },
    { by: "graph", breadth: 0, depth: 128, run: 0 },
  ] as const)("finds the same among rows as bits and as a list, by $by of depth $depth", async (step) => {
    const all = alike();
    const { dir, manifest } = await (step.by === "graph" ? withGraph() : withColumns());
    const set = await VectorSet.open(dir, manifest, { plan: new SearchPlan(planned(step)) });
    for (const passes of [
      (row: number) => row !== 4,
      (row: number) => row % 3 !== 0,
      (row: number) => row % 9 === 0,
      (row: number) => row < 2_000,
      (row: number) => row > 4_990,
    ]) {
      const { bits, count } = RowSet.fromPredicate(5_000, passes);
      const rows = listOf({ bits, count });
      for (const row of [4, 1_234, 4_999]) {
        const query = all.slice(row * FULL, (row + 1) * FULL);
        const listed = await set.nearest(query, 40, { rows });
        expect(listed.rows).toHaveLength(Math.min(40, count));
        expect(await set.nearest(query, 40, { rows: { bits, count } })).toEqual(listed);
      }
    }
    set.close();
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

  it.each([
    ["float32", "vectors.f32", FULL * 4],
    ["int8", "vectors.i8", STORED],
  ] as const)("refuses a file that is not whole vectors of %s", async (numbers, file, size) => {
    const dir = await mkdtemp(join(folder, "torn-"));
    await writeFile(join(dir, file), new Uint8Array(size + 1));
    await expect(buildVectorSet(dir, { numbers })).rejects.toMatchObject({ code: "vectors_truncated" });
  });
});
