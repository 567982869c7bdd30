import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { buildIndex } from "../../src/search/build-index.js";
import { isOtherIndex, requireEmbedder, whyNotBuildUpon } from "../../src/search/build-upon.js";
import type { IndexDocument } from "../../src/search/document.js";
import type { Embedder, TextSource } from "../../src/search/embed/embedder.js";
import { readIndexManifest } from "../../src/search/index-manifest.js";
import { openIndex } from "../../src/search/open-index.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-sets-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const unit = (at: number) => {
  const vector = new Float32Array(1536);
  vector[at] = 1;
  return vector;
};

/** Texts are vectors along the axis that their first letter names: nothing that words could tell. */
class LetterEmbedder implements Embedder {
  readonly dims = 1536;
  readonly asked: string[] = [];

  constructor(
    readonly id = "letters-1",
    readonly state: Readonly<Record<string, string | number>> = { model: "letters", version: 1 },
  ) {}

  async embedDocuments(texts: readonly string[]): Promise<Float32Array[]> {
    this.asked.push(...texts);
    return texts.map((text) => unit(text.codePointAt(0)!));
  }

  async embedQuery(text: string): Promise<Float32Array | undefined> {
    return text === "?" ? undefined : unit(text.codePointAt(0)!);
  }
}

const given: IndexDocument[] = [
  { id: "web_gnw_a", lang: "en", text: "apples are red", vector: { model: "letters-1", values: unit(122) } },
  { id: "web_gnw_b", lang: "en", text: "berries are blue" },
  { id: "web_gnw_c", lang: "en", text: "cherries are dark", vector: { model: "other", values: unit(7) } },
];
const source = (documents: readonly IndexDocument[]) =>
  async function* () {
    yield documents;
  };
const semantic = { limit: 1, mode: "semantic" } as const;

describe("vector sets", () => {
  it("rank with the embedder of their id: downloaded vectors of its model, its own for the rest", async () => {
    const embedder = new LetterEmbedder();
    const manifest = await buildIndex(join(dir, "index"), source(given), { embedder });
    expect(manifest.vectorSets).toMatchObject([
      { name: "given", embedder: "letters-1", state: { model: "letters", version: 1 } },
      { name: "local", embedder: expect.stringMatching(/^reflective-[0-9a-f]{12}$/) },
    ]);
    expect(embedder.asked).toEqual(["berries are blue", "cherries are dark"]);
    const index = await openIndex(join(dir, "index"), { embedder });
    const best = async (query: string) => (await index.rank(query, RowSet.all(3), semantic)).rows[0];
    expect([await best("zzz"), await best("bbb"), await best("ccc")]).toEqual([0, 1, 2]);
    const { embedder: used, note } = await index.rank("bbb", RowSet.all(3), semantic);
    expect(used).toBe("letters-1");
    expect(note).toBeUndefined();
    await index.close();
  });

  it("stand on the disk once where every record brings a vector of the model", async () => {
    const brought = given.map((document, i) => ({
      ...document,
      vector: { model: "letters-1", values: unit(100 + i) },
    }));
    const inodes = async (index: string) => {
      const path = (file: string) => join(dir, index, "segment-0000", file);
      return [(await stat(path("downloaded.f32"))).ino, (await stat(path("given/vectors.f32"))).ino];
    };
    const embedder = new LetterEmbedder();
    await buildIndex(join(dir, "all"), source(brought), { embedder });
    const [downloaded, set] = await inodes("all");
    expect(downloaded).toBe(set);
    const index = await openIndex(join(dir, "all"), { embedder });
    expect((await index.vectors([2, 0])).map((vector) => vector.indexOf(1))).toEqual([102, 100]);
    await index.close();
    await buildIndex(join(dir, "some"), source([...brought, ...given.slice(1, 2)]), { embedder });
    const [apart, other] = await inodes("some");
    expect(apart).not.toBe(other);
  });

  it("are whole where only later batches have records without a vector of the model", async () => {
    const brought = given.map((document, i) => ({
      ...document,
      vector: { model: "letters-1", values: unit(100 + i) },
    }));
    const batches = async function* () {
      yield brought.slice(0, 2);
      yield brought.slice(2);
      yield given.slice(1, 2).map((document) => ({ ...document, id: "web_gnw_d" }));
      yield brought.slice(0, 1).map((document) => ({ ...document, id: "web_gnw_e" }));
    };
    const embedder = new LetterEmbedder();
    await buildIndex(join(dir, "index"), batches, { embedder, localSet: false });
    expect(embedder.asked).toEqual(["berries are blue"]);
    const file = await readFile(join(dir, "index", "segment-0000", "given", "vectors.f32"));
    const numbers = new Float32Array(file.buffer, file.byteOffset, file.length / 4);
    const axes = Array.from({ length: numbers.length / 1536 }, (_, row) =>
      numbers.subarray(row * 1536, (row + 1) * 1536).indexOf(1),
    );
    expect(axes).toEqual([100, 101, 102, "b".codePointAt(0), 100]);
  });

  it("rank by cosine, however long vectors are, and give them as they came", async () => {
    const scaled = (length: number, ...axes: number[]) => {
      const vector = new Float32Array(1536);
      axes.forEach((size, axis) => {
        vector[axis] = size * length;
      });
      return vector;
    };
    const long: IndexDocument[] = [
      [scaled(1000, 1), "red"],
      [scaled(1, 0, 1), "blue"],
      [scaled(0.001, 1, 0.5), "dark"],
    ].map(([values, text], i) => ({
      id: `web_gnw_${i}`,
      lang: "en",
      text: text as string,
      vector: { model: "scaled", values: values as Float32Array },
    }));
    const embedder: Embedder = {
      id: "scaled",
      dims: 2,
      embedDocuments: async (texts) => texts.map(() => Float32Array.of(300, 400)),
      embedQuery: async () => Float32Array.of(30, 30),
    };
    const made: IndexDocument = { id: "web_gnw_3", lang: "en", text: "green" };
    const build = (name: string, documents: readonly IndexDocument[], base?: string) =>
      buildIndex(join(dir, name), source(documents), {
        embedder,
        ...(base === undefined ? { localSet: false } : { base: { dir: join(dir, base) } }),
      });
    await build("at-once", [...long, made]);
    await build("first", long.slice(0, 2));
    await build("later", [...long.slice(2), made], "first");
    for (const name of ["at-once", "later"]) {
      const index = await openIndex(join(dir, name), { embedder });
      const { rows, ranks } = await index.rank("zzz", RowSet.all(4), { limit: 4, mode: "semantic" });
      expect(rows).toEqual([3, 2, 0, 1]);
      const cosines = [1.4 / Math.SQRT2, 1.5 / Math.sqrt(2.5), Math.SQRT1_2, Math.SQRT1_2];
      for (const [i, cosine] of cosines.entries()) expect(ranks[i]!.semantic!.score).toBeCloseTo(cosine, 6);
      const given = await index.vectors([0, 1, 2]);
      expect(given).toEqual(long.map(({ vector }) => vector!.values));
      await index.close();
    }
  });

  it("of any length are indexed as those of unit length are: with the same bytes", {
    tags: "slow",
  }, async () => {
    const documents = (length: number): IndexDocument[] =>
      Array.from({ length: 40 }, (_, i) => {
        const values = new Float32Array(1536);
        values[i % 7] = 0.6 * length;
        values[7 + i] = 0.8 * length;
        return { id: `web_gnw_${i}`, lang: "en", text: `text ${i}`, vector: { model: "letters-1", values } };
      });
    const files = ["vectors.f32", "vectors.i8", "mean.f32", "deviation.f32", "set.json"];
    const built = async (length: number) => {
      const index = join(dir, `length-${length}`);
      const embedder = new LetterEmbedder();
      await buildIndex(index, source(documents(length)), { embedder, localSet: false });
      return Promise.all(files.map((file) => readFile(join(index, "segment-0000", "given", file))));
    };
    const expected = await built(1);
    for (const length of [1e-20, 5, 500]) expect(await built(length)).toEqual(expected);
  });

  it("of a model rank across languages: what is nearest leads, whatever it is written in", async () => {
    const english = Array.from({ length: 30 }, (_, i) => ({
      id: `web_gnw_${String(i).padStart(2, "0")}`,
      lang: "en",
      text: `the winters of the north were long in year ${i}`,
      vector: { model: "letters-1", values: unit(200 + i) },
    }));
    const spanish: IndexDocument = {
      id: "web_gnw_zz",
      lang: "es",
      text: "largos inviernos del norte",
      vector: { model: "letters-1", values: unit("t".codePointAt(0)!) },
    };
    const near = english[0]!.vector.values;
    near[200] = 0.8;
    near["t".codePointAt(0)!] = 0.6;
    const embedder = new LetterEmbedder();
    await buildIndex(join(dir, "index"), source([...english, spanish]), { embedder });
    const index = await openIndex(join(dir, "index"), { embedder });
    const query = "the winters of the north";
    const { rows } = await index.rank(query, RowSet.all(31), { ...semantic, limit: 2 });
    expect(rows).toEqual([30, 0]);
    await index.close();
  });

  it("rank by the local set where the model of the others is not at hand, and say so", async () => {
    await buildIndex(join(dir, "index"), source(given), { embedder: new LetterEmbedder() });
    for (const options of [{}, { embedder: new LetterEmbedder("letters-2") }]) {
      const index = await openIndex(join(dir, "index"), options);
      const ranking = await index.rank("dark cherries", RowSet.all(3), semantic);
      expect(ranking.rows).toEqual([2]);
      expect(ranking.embedder).toMatch(/^reflective-/);
      expect(ranking.note).toContain("letters-1");
      await index.close();
    }
  });

  it("are those of an embedder of the same id and dimensions: others of that id are another's", async () => {
    const made = new LetterEmbedder("letters-3");
    const shorter: Embedder = Object.assign(new LetterEmbedder("letters-3"), { dims: 13 });
    await buildIndex(join(dir, "index"), source(given), { embedder: made });
    const index = await openIndex(join(dir, "index"), { embedder: shorter });
    const ranking = await index.rank("dark cherries", RowSet.all(3), semantic);
    expect(ranking).toMatchObject({ rows: [2], embedder: expect.stringMatching(/^reflective-/) });
    expect(ranking.note).toContain("letters-3 of 1536 dimensions");
    await index.close();
    await expect(requireEmbedder(join(dir, "index"), shorter)).rejects.toMatchObject({
      code: "embedder_differs",
      value: 13,
    });
    expect(await whyNotBuildUpon(join(dir, "index"), { documents: 4, brought: 1 }, shorter)).toBe("index");
    expect(await isOtherIndex(join(dir, "index"), { embedder: shorter })).toBe(true);
    expect(await isOtherIndex(join(dir, "index"), { embedder: made })).toBe(false);
  });

  it("get graphs by the same wish where an older index names the default's least rows", async () => {
    const index = join(dir, "index");
    await buildIndex(index, source(given), { index: "auto" });
    const path = join(index, "index.json");
    const manifest = JSON.parse(await readFile(path, "utf8"));
    expect(manifest.graphs).toEqual({ index: "auto" });
    await writeFile(path, JSON.stringify({ ...manifest, graphs: { index: "auto", graphFrom: 98_304 } }));
    expect(await isOtherIndex(index, { index: "auto" })).toBe(false);
    expect(await isOtherIndex(index, { index: "auto", graphFrom: 98_304 })).toBe(false);
    expect(await isOtherIndex(index, { index: "auto", graphFrom: 100_000 })).toBe(true);
    expect(await isOtherIndex(index, { index: "scan" })).toBe(true);
  });

  it("of an index that does not say their dimensions are of the embedder of their id", async () => {
    const embedder = new LetterEmbedder();
    await buildIndex(join(dir, "index"), source(given), { embedder });
    const path = join(dir, "index", "index.json");
    const { graphs: _, ...manifest } = JSON.parse(await readFile(path, "utf8"));
    delete manifest.vectorSets[0].dims;
    await writeFile(path, JSON.stringify(manifest));
    const index = await openIndex(join(dir, "index"), { embedder });
    expect((await index.rank("zebra", RowSet.all(3), semantic)).embedder).toBe("letters-1");
    await index.close();
    const more = source([{ id: "web_gnw_d", lang: "en", text: "damsons are sour" }]);
    const grown = await buildIndex(join(dir, "grown"), more, { base: { dir: join(dir, "index") }, embedder });
    expect(grown.vectorSets[0]).not.toHaveProperty("dims", expect.anything());
  });

  it("take no downloaded vectors that are longer than the embedder's", async () => {
    const shorter: Embedder = Object.assign(new LetterEmbedder(), { dims: 13 });
    await expect(buildIndex(join(dir, "index"), source(given), { embedder: shorter })).rejects.toMatchObject({
      code: "embedder_differs",
      value: 13,
    });
  });

  it("give the same vectors whatever embedder is at hand: downloaded ones first", async () => {
    const embedder = new LetterEmbedder();
    await buildIndex(join(dir, "index"), source(given), { embedder });
    for (const options of [{}, { embedder }]) {
      const index = await openIndex(join(dir, "index"), options);
      expect(await index.vectors([0, 1, 2])).toEqual([unit(122), unit(98), unit(7)]);
      expect(index.embedderId).toBe("letters-1");
      await index.close();
    }
  });

  it("may do without a local set; then words alone rank where the model is not at hand", async () => {
    const embedder = new LetterEmbedder();
    await buildIndex(join(dir, "index"), source(given), { embedder, localSet: false });
    await expect(stat(join(dir, "index/embedder"))).rejects.toMatchObject({ code: "ENOENT" });
    const index = await openIndex(join(dir, "index"));
    const ranking = await index.rank("blue", RowSet.all(3), { limit: 3 });
    expect(ranking).toMatchObject({ rows: [1], mode: "keyword" });
    expect(ranking.note).toContain("letters-1");
    expect(ranking.embedder).toBeUndefined();
    await index.close();
  });

  it("rank nothing by meaning where the embedder knows none of the query", async () => {
    const embedder = new LetterEmbedder();
    await buildIndex(join(dir, "index"), source(given), { embedder });
    const index = await openIndex(join(dir, "index"), { embedder });
    expect((await index.rank("?", RowSet.all(3), semantic)).rows).toEqual([]);
    await index.close();
  });

  it("are not mixed: an index is built upon with the embedder that it was built with, or rebuilt", async () => {
    const embedder = new LetterEmbedder();
    const more = source([{ id: "web_gnw_d", lang: "en", text: "damsons are sour" }]);
    const [one, plain] = [join(dir, "one"), join(dir, "plain")];
    await buildIndex(one, source(given), { embedder });
    await buildIndex(plain, source(given));
    const upon = (base: string, other?: Embedder) =>
      buildIndex(join(dir, `upon-${Math.random()}`), more, {
        base: { dir: base },
        embedder: other,
      });
    for (const [base, other] of [
      [one, undefined],
      [one, new LetterEmbedder("letters-2")],
      [plain, embedder],
    ] as const) {
      await expect(upon(base, other)).rejects.toMatchObject({ code: "embedder_differs" });
      expect(await whyNotBuildUpon(base, { documents: 4, brought: 1 }, other)).toBe("index");
    }
    expect(await whyNotBuildUpon(one, { documents: 4, brought: 1 }, embedder)).toBeUndefined();
    // More than a third: the local set is refitted.
    expect(await whyNotBuildUpon(one, { documents: 5, brought: 2 }, embedder)).toBe("fit");
    expect(await whyNotBuildUpon(plain, { documents: 4, brought: 1 })).toBeUndefined();
    await expect(requireEmbedder(one)).rejects.toMatchObject({ code: "embedder_differs", value: undefined });
    await expect(requireEmbedder(one, embedder)).resolves.toBeUndefined();
    const manifest = await upon(one, embedder);
    expect(manifest.segments.map(({ documentCount }) => documentCount)).toEqual([3, 1]);
  });

  it("of an embedder that is fitted bear the fit's id", async () => {
    const texts: string[] = [];
    const fitting: Embedder = Object.assign(new LetterEmbedder("unfitted"), {
      fit: async (all: TextSource) => {
        for await (const batch of all()) texts.push(...batch);
        return new LetterEmbedder(`letters-fitted-${texts.length}`, { texts: texts.length });
      },
    });
    const manifest = await buildIndex(join(dir, "index"), source(given), { embedder: fitting });
    expect(texts).toEqual(["apples are red", "berries are blue", "cherries are dark"]);
    expect(manifest.vectorSets[0]).toEqual({
      name: "given",
      embedder: "letters-fitted-3",
      dims: 1536,
      state: { texts: 3 },
    });
    expect(await readIndexManifest(join(dir, "index"))).toEqual(manifest);
  });

  it("refuse vectors that an embedder should not make, by name", async () => {
    const bad = (make: (text: string) => Float32Array): Embedder => ({
      id: "bad",
      dims: 1536,
      embedDocuments: async (texts) => texts.map(make),
      embedQuery: async () => undefined,
    });
    for (const embedder of [
      bad(() => new Float32Array(8)),
      bad(() => new Float32Array(1536).fill(Number.NaN)),
      { ...bad(unit.bind(null, 1)), embedDocuments: async () => [] },
      { ...bad(unit.bind(null, 1)), embedDocuments: async () => undefined as never },
      { ...bad(unit.bind(null, 1)), embedDocuments: async () => [undefined, undefined, undefined] as never },
      { ...bad(unit.bind(null, 1)), dims: 3072 },
    ]) {
      await expect(
        buildIndex(join(dir, `bad-${Math.random()}`), source(given), { embedder }),
      ).rejects.toMatchObject({ code: "embedder_invalid", value: "bad" });
    }
  });

  it("are not waited for when an embedder ignores that a build is aborted", async () => {
    const controller = new AbortController();
    const embedder = new LetterEmbedder();
    embedder.embedDocuments = () => {
      controller.abort(new Error("enough"));
      return new Promise(() => {});
    };
    await expect(
      buildIndex(join(dir, "index"), source(given), { embedder, signal: controller.signal }),
    ).rejects.toThrow("enough");
  });

  it("are the same bytes on every build", async () => {
    const bytes = async (name: string) => {
      await buildIndex(join(dir, name), source(given), { embedder: new LetterEmbedder() });
      return Promise.all(
        [
          "index.json",
          "certificate.json",
          "segment-0000/given/vectors.f32",
          "segment-0000/local/vectors.i8",
        ].map((file) => readFile(join(dir, name, file))),
      );
    };
    expect(await bytes("a")).toEqual(await bytes("b"));
  });
});
