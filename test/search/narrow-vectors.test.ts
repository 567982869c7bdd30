import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { buildIndex } from "../../src/search/build-index.js";
import type { IndexDocument } from "../../src/search/document.js";
import type { Embedder } from "../../src/search/embed/embedder.js";
import { unitOf } from "../../src/search/embed/unit-vector.js";
import { readIndexManifest } from "../../src/search/index-manifest.js";
import { openIndex } from "../../src/search/open-index.js";
import { appendVectors } from "../../src/search/segment/append-vectors.js";
import { RowVectors } from "../../src/search/segment/row-vectors.js";
import { buildVectorSet } from "../../src/search/vector/build-vector-set.js";
import {
  byteVectorOf,
  copyByteVectors,
  readByteVector,
  storeByteVector,
} from "../../src/search/vector/byte-vectors.js";
import { chooseSteps } from "../../src/search/vector/recall/combine-shares.js";
import { measureRecall } from "../../src/search/vector/recall/measure-recall.js";
import { sampleOf } from "../../src/search/vector/recall/recall-sample.js";
import type { SearchStep } from "../../src/search/vector/recall/set-recall.js";
import { joinSetFiles, type SetFolder } from "../../src/search/vector/set-files.js";
import { VECTOR_FILES } from "../../src/search/vector/vector-files.js";
import { VectorSet } from "../../src/search/vector/vector-set.js";
import { readVectorSetManifest } from "../../src/search/vector/vector-set-manifest.js";
import { storedWidth } from "../../src/search/vector/vectors.js";

const FULL = 1536;
const DIMS = 70;
const WIDTH = 96;
const COUNT = 1_500;
let dir: string;
/** Unit vectors of 70 numbers around centres. */
let vectors: Float32Array[];

function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

function centred(count: number): Float32Array[] {
  const next = uniform(5);
  const centres = Array.from({ length: 40 }, () => Float32Array.from({ length: DIMS }, next));
  return Array.from({ length: count }, (_, row) => {
    const vector = centres[row % 40]!.map((number) => number + next());
    const length = Math.hypot(...vector);
    return vector.map((number) => number / length);
  });
}

async function setOf(rows: readonly Float32Array[], width: number | undefined): Promise<SetFolder> {
  const folder = await mkdtemp(join(dir, "set-"));
  const all = new Float32Array(rows.length * (width ?? FULL));
  for (const [row, vector] of rows.entries()) all.set(vector, row * (width ?? FULL));
  await writeFile(join(folder, VECTOR_FILES.vectors), new Uint8Array(all.buffer));
  const options = { numbers: "float32", width, threads: 0, codesFrom: 1_000, graphFrom: 1_000 } as const;
  return { dir: folder, manifest: await buildVectorSet(folder, options) };
}

const padded = (vector: Float32Array) => {
  const full = new Float32Array(FULL);
  full.set(vector);
  return full;
};

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-narrow-"));
  vectors = centred(COUNT);
});
afterAll(() => rm(dir, { recursive: true }));

it("the numbers that are stored are those of the dimensions, by 32", () => {
  expect([1, 32, 33, 384, 1504].map(storedWidth)).toEqual([32, 32, 64, 384, 1504]);
  expect([1505, FULL].map(storedWidth)).toEqual([undefined, undefined]);
  expect([undefined, 0, 2.5, Number.NaN, 9_999].map(storedWidth)).toEqual(Array(5).fill(undefined));
});

it("a vector of signed bytes has room for more numbers, and is the same", () => {
  const widths = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 60 }));
  fc.assert(
    fc.property(widths, fc.integer({ min: 1, max: 4 }), fc.nat(), ([from, more], count, seed) => {
      const [own, room] = [byteVectorOf(from), byteVectorOf(from + more)];
      const stored = new Uint8Array(count * own);
      const next = uniform(seed);
      for (let row = 0; row < count; row += 1)
        storeByteVector(
          Float32Array.from({ length: from }, next),
          false,
          stored.subarray(row * own, (row + 1) * own),
        );
      const wide = new Uint8Array(count * room).fill(255);
      copyByteVectors(stored, from, wide, from + more);
      for (let row = 0; row < count; row += 1) {
        const [narrow, found] = [new Float32Array(FULL).fill(7), new Float32Array(FULL)];
        readByteVector(stored.subarray(row * own, (row + 1) * own), narrow);
        readByteVector(wide.subarray(row * room, (row + 1) * room), found);
        expect(found).toEqual(narrow);
        expect(found.subarray(from).every((number) => number === 0)).toBe(true);
      }
    }),
  );
});

describe("a set that stores as many numbers as its embedder makes", () => {
  let narrow: SetFolder;
  let wide: SetFolder;
  /** Parts of the rows: stored in the two ways by turns. */
  let mixed: SetFolder[][];

  beforeAll(async () => {
    narrow = await setOf(vectors, WIDTH);
    wide = await setOf(vectors, undefined);
    const halves = [vectors.slice(0, 1_100), vectors.slice(1_100)];
    mixed = await Promise.all(
      [[WIDTH, undefined] as const, [undefined, WIDTH] as const, [WIDTH, WIDTH] as const].map((widths) =>
        Promise.all(widths.map((width, i) => setOf(halves[i]!, width))),
      ),
    );
  });

  it("takes the room of these", async () => {
    const size = async (set: SetFolder, file: string) => (await stat(join(set.dir, file))).size;
    expect(await size(narrow, VECTOR_FILES.byteVectors)).toBe(COUNT * (WIDTH + 4));
    expect(await size(wide, VECTOR_FILES.byteVectors)).toBe(COUNT * (FULL + 4));
    expect(narrow.manifest).toEqual({ ...wide.manifest, width: WIDTH });
    expect(
      Object.keys(JSON.parse(await readFile(join(wide.dir, VECTOR_FILES.manifest), "utf8"))),
    ).not.toContain("width");
    for (const file of [
      VECTOR_FILES.graph,
      VECTOR_FILES.graphTwins,
      VECTOR_FILES.mean,
      VECTOR_FILES.deviation,
    ])
      expect(await readFile(join(narrow.dir, file))).toEqual(await readFile(join(wide.dir, file)));
  });

  it("is read as one that stores all", async () => {
    for (const parts of [[narrow], ...mixed]) {
      const files = joinSetFiles(parts);
      const read = new Float32Array(300 * FULL).fill(3);
      files.floats!.readRun(1_000, 300, read);
      for (let i = 0; i < 300; i += 1)
        expect(read.subarray(i * FULL, (i + 1) * FULL)).toEqual(padded(vectors[1_000 + i]!));
      expect(files.floats!.read(1_499)).toEqual(padded(vectors[1_499]!));
      expect(() => files.floats!.readRun(1_499, 2, read)).toThrow(RangeError);
      files.close();
    }
  });

  const step: SearchStep = { by: "columns", breadth: 64, fine: 32, depth: 200, run: 0 };
  const runs: SearchStep = { ...step, run: 64, depth: 400 };
  const graph: SearchStep = { by: "graph", breadth: 0, depth: 384, run: 0 };
  it.each([
    ["exactly", { exact: true }, {}],
    ["by columns", { step }, { byGraph: false }],
    ["run by run", { step: runs }, { byGraph: false }],
    ["by its graph", { step: graph }, { byGraph: true }],
    ["with some rows in memory", { step }, { byGraph: false, kept: 100 }],
    [
      "among some rows",
      { step, rows: Uint32Array.from({ length: 700 }, (_, i) => i * 2) },
      { byGraph: false },
    ],
  ])("finds the same rows with the same scores %s", async (_, how, options) => {
    const others = "byGraph" in options && options.byGraph ? [] : mixed.at(-1)!;
    expect(narrow.manifest.graph).toBe(true);
    const sets = await Promise.all([
      VectorSet.open(wide.dir, wide.manifest, options),
      VectorSet.open(narrow.dir, narrow.manifest, options),
    ]);
    for (let row = 0; row < COUNT; row += 150) {
      const query = padded(vectors[row]!.map((number, i) => number + Math.sin(row + i) / 20));
      const [expected, found] = await Promise.all(sets.map((set) => set.nearest(query, 20, how)));
      expect(found).toEqual(expected);
      expect(expected!.rows).toHaveLength(20);
    }
    expect(sets[1]!.vector(3)).toEqual(padded(vectors[3]!));
    for (const set of sets) set.close();
    if (others.length === 0) return;
    const joined = await Promise.all(mixed.map((parts) => VectorSet.join(parts, options)));
    for (let row = 0; row < COUNT; row += 150) {
      const [first, ...rest] = await Promise.all(
        joined.map((set) => set.nearest(padded(vectors[row]!), 20, how)),
      );
      for (const found of rest) expect(found).toEqual(first);
      expect(first!.rows).toContain(row);
    }
    for (const set of joined) set.close();
  });

  it("has more rows scored as a whole than one that stores all, as measured", async () => {
    const rows = Uint32Array.from({ length: 700 }, (_, i) => i * 2);
    const [all, few] = await Promise.all(
      [wide, narrow].map(({ dir, manifest }) => VectorSet.open(dir, manifest, { byGraph: false })),
    );
    expect([all!.scoresAll(700, step), few!.scoresAll(700, step)]).toEqual([false, true]);
    for (let row = 0; row < COUNT; row += 150) {
      const query = padded(vectors[row]!.map((number, i) => number + Math.sin(row + i) / 20));
      const exact = await few!.nearest(query, 20, { rows, exact: true });
      expect(await few!.nearest(query, 20, { rows, step })).toEqual(exact);
    }
    const size = { count: 9_000, width: WIDTH };
    const recall = { queries: 1, sample: "vectors", recall: [{ selectivity: 1, rows: 9_000 }] } as const;
    const measured = [{ ...step, depth: 2_048, recall10: 1, recall100: 1 }];
    const chosen = (width: number | undefined) =>
      chooseSteps({ ...recall, recall: [{ ...recall.recall[0], measured }] }, { ...size, width }).recall[0]!
        .measured.length;
    expect([chosen(undefined), chosen(WIDTH)]).toEqual([1, 0]);
    for (const set of [all!, few!]) set.close();
  });

  it("has the recall of one that stores all", async () => {
    const [expected, found] = await Promise.all(
      [wide, narrow].map(async (folder) => {
        const set = await VectorSet.open(folder.dir, folder.manifest, { byGraph: false, kept: 200 });
        const recall = await measureRecall(set, sampleOf(set, undefined, { part: 0, of: 1 }), 1, {});
        set.close();
        return recall;
      }),
    );
    expect(found).toEqual(expected);
  });
});

it("a vector that has numbers where none are stored is not cut", async () => {
  const appended: Uint8Array[] = [];
  const file = { appendFile: async (bytes: Uint8Array) => void appended.push(bytes) } as never;
  await appendVectors(file, [padded(Float32Array.of(1, 2))], 32);
  expect(appended[0]).toHaveLength(32 * 4);
  await expect(appendVectors(file, [padded(new Float32Array(40).fill(1))], 32)).rejects.toThrow(RangeError);
  expect(appended).toHaveLength(1);
});

describe("an index of an embedder of few dimensions", () => {
  const embedder: Embedder = {
    id: "few-1",
    dims: DIMS,
    embedDocuments: async (texts) => texts.map((text) => vectors[Number(text.split(" ")[0])]!),
    embedQuery: async (text) => vectors[Number(text)],
  };
  const all = Array.from({ length: 400 }, (_, row) => row);
  const isBrought = (row: number) => row % 7 === 0;
  const documents = (from: number, to: number) =>
    async function* () {
      yield all.slice(from, to).map((row): IndexDocument => {
        const document = { id: `web_gnw_${String(row).padStart(5, "0")}`, lang: "en", text: `${row} words` };
        if (!isBrought(row)) return document;
        return { ...document, vector: { model: "few-1", values: padded(vectors[row]!) } };
      });
    };
  const answers = async (index: string) => {
    const open = await openIndex(index, { embedder });
    const rows: number[][] = [];
    for (let row = 0; row < 400; row += 20)
      rows.push([...(await open.rank(String(row), RowSet.all(400), { limit: 10, mode: "semantic" })).rows]);
    const [read, apart] = [new Float32Array(400 * FULL), new Float32Array(400 * FULL)];
    open.vectorsInto(all, read);
    const elsewhere = await RowVectors.open(open.vectorPlaces);
    elsewhere.read(all, apart);
    elsewhere.close();
    await open.close();
    expect(apart).toEqual(read);
    for (const row of all) {
      const own = isBrought(row) ? vectors[row]! : unitOf(vectors[row]!);
      expect(read.subarray(row * FULL, (row + 1) * FULL)).toEqual(padded(own));
    }
    return rows;
  };

  it("answers alike however its segments came about, also upon one that stores all", async () => {
    const paths = ["once", "first", "second", "wide", "third"].map((name) => join(dir, name));
    const [once, first, second, wideFirst, third] = paths as [string, string, string, string, string];
    await buildIndex(once, documents(0, 400), { embedder });
    await buildIndex(first, documents(0, 250), { embedder });
    await cp(first, wideFirst, { recursive: true });
    await storeAll(join(wideFirst, "segment-0000", "given"));
    await buildIndex(second, documents(250, 400), { embedder, base: { dir: first } });
    await buildIndex(third, documents(250, 400), { embedder, base: { dir: wideFirst } });
    const merged = { first: 0, former: Int32Array.from(all) };
    const fourth = join(dir, "fourth");
    const silent: Embedder = {
      ...embedder,
      embedDocuments: async (texts) => {
        expect(texts).toEqual([]);
        return [];
      },
    };
    await buildIndex(fourth, documents(0, 400), { embedder: silent, base: { dir: third, merged } });
    const expected = await answers(once);
    for (const index of [second, third, fourth]) expect(await answers(index)).toEqual(expected);
    const widths = async (index: string) =>
      Promise.all(
        (await readIndexManifest(index)).segments.map(
          async ({ name }) => (await readVectorSetManifest(join(index, name, "given"))).width,
        ),
      );
    expect(await widths(once)).toEqual([WIDTH]);
    expect(await widths(second)).toEqual([WIDTH, WIDTH]);
    expect(await widths(third)).toEqual([undefined, WIDTH]);
    expect(await widths(fourth)).toEqual([WIDTH]);
    const given = (file: string) => join(once, "segment-0000", "given", file);
    expect((await stat(given(VECTOR_FILES.vectors))).size).toBe(400 * WIDTH * 4);
    expect((await stat(given(VECTOR_FILES.byteVectors))).size).toBe(400 * (WIDTH + 4));
  });

  /** Rewrites a set as one that stores all numbers, as it was before. */
  async function storeAll(set: string): Promise<void> {
    const narrow = new Float32Array((await readFile(join(set, VECTOR_FILES.vectors))).buffer.slice(0));
    const count = narrow.length / WIDTH;
    const all = new Float32Array(count * FULL);
    for (let row = 0; row < count; row += 1)
      all.set(narrow.subarray(row * WIDTH, (row + 1) * WIDTH), row * FULL);
    await rm(set, { recursive: true });
    await mkdir(set);
    await writeFile(join(set, VECTOR_FILES.vectors), new Uint8Array(all.buffer));
    await buildVectorSet(set, { numbers: "float32", threads: 0 });
  }
});
