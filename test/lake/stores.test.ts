import { mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { kernelsModule } from "../../scripts/kernels/kernel-source.js";
import { RowSet } from "../../src/contract/lake/row-set.js";
import type { Domain } from "../../src/contract/service/platforms.js";
import { SliceManifest } from "../../src/contract/slice/slice-manifest.js";
import { languageMatches } from "../../src/slice/language-range.js";
import { manifestRoot, sliceManifest } from "../../src/slice/read-slice-manifest.js";
import { ColumnsBuilder, FilterColumns, readColumns, writeColumns } from "../../src/store/filter-columns.js";
import { GENERATION_FILES, readSliceManifests } from "../../src/store/generation/generation-manifest.js";
import { writeSliceManifests } from "../../src/store/generation/slice-manifests-file.js";
import { KeyTable, KeyTableWriter } from "../../src/store/rows/key-table.js";
import { RowEnds, RowEndsWriter } from "../../src/store/rows/row-ends.js";
import { RowPacker } from "../../src/store/rows/row-packer.js";
import { dictionaryOf, RowStore, RowStoreWriter } from "../../src/store/rows/row-store.js";
import { RowUnpacker } from "../../src/store/rows/row-unpacker.js";
import { ANY_CHARACTER } from "../support/any-character.js";
import { runs } from "../support/campaign.js";
import { makeRecord } from "./items.js";

let dir: string;
let run = 0;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-stores-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const text = fc.string({ unit: ANY_CHARACTER, maxLength: 12 }).filter((t) => !/\p{Surrogate}/u.test(t));
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    fc.integer({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1 }),
    text,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      text.filter((key) => key !== "__proto__"),
      tie("value"),
      { maxKeys: 5, noNullPrototype: true },
    ),
  ),
})).value;

describe("RowStore", () => {
  it("gives back any JSON values, by row and in order, and the same bytes for the same values", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(json, { maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom("packed", "deflated"),
        fc.array(json, { maxLength: 8 }),
        async (values, batch, format, others) => {
          const [a, b] = [join(dir, `a${run}`), join(dir, `b${run++}`)];
          for (const [path, size] of [
            [a, 1000],
            [b, batch],
          ] as const) {
            const writer = await RowStoreWriter.create(
              path,
              format,
              dictionaryOf([...others, ...values.slice(2)]),
            );
            for (let i = 0; i < values.length; i += size) await writer.add(values.slice(i, i + size));
            await writer.finish();
          }
          expect((await readFile(`${a}.rows`)).equals(await readFile(`${b}.rows`))).toBe(true);
          const store = await RowStore.open(a, format);
          expect(store.length).toBe(values.length);
          expect(values.map((_, row) => store.read(row))).toEqual(values);
          expect([...store.scan(0, store.length, batch)].flat()).toEqual(values);
          const from = Math.min(3, values.length);
          expect([...store.scan(from)].flat()).toEqual(values.slice(from));
          expect(() => store.read(values.length)).toThrow(RangeError);
          expect(() => store.read(-1)).toThrow(RangeError);
          store.close();
        },
      ),
      runs(60),
    );
  });

  it("gives a peeked value to one reader only", async () => {
    const path = join(dir, "peeked");
    const writer = await RowStoreWriter.create(path);
    await writer.add([{ id: "a" }, { id: "b" }]);
    await writer.finish();
    const store = await RowStore.open<{ id: string }>(path);
    expect(store.peek(0)).toEqual({ id: "a" });
    expect(store.read(1)).toEqual({ id: "b" });
    const first = store.read(0);
    first.id = "changed by its reader";
    expect(store.read(0)).toEqual({ id: "a" });
    expect(store.peek(1)).toEqual(store.peek(1));
    expect(() => store.peek(2)).toThrow(RangeError);
    store.close();
  });

  it("reads rows of many deflated blocks in any order, and says when one is not whole", async () => {
    const path = join(dir, "blocks");
    const values = Array.from({ length: 3_000 }, (_, i) => ({ id: `${i}`, text: `${i} `.repeat(i % 90) }));
    const writer = await RowStoreWriter.create(path, "deflated");
    for (let i = 0; i < values.length; i += 500) await writer.add(values.slice(i, i + 500));
    await writer.add([{ text: "long ".repeat(40_000) }]);
    await writer.finish();
    const { size } = await stat(`${path}.rows`);
    expect(size).toBeLessThan(60_000);
    const store = await RowStore.open(path, "deflated");
    for (let i = 0, row = 7; i < 200; i += 1, row = (row * 37 + 11) % 3_000)
      expect(store.read(row)).toEqual(values[row]);
    expect([...store.scan(100, 2_900)].flat()).toEqual(values.slice(100, 2_900));
    expect(store.read(3_000)).toEqual({ text: "long ".repeat(40_000) });
    store.close();
    const bytes = await readFile(`${path}.rows`);
    await writeFile(`${path}.rows`, bytes.fill(0, 40, 60));
    const damaged = await RowStore.open(path, "deflated");
    expect(() => damaged.read(0)).toThrow();
    damaged.close();
    await truncate(`${path}.rows`, size - 1);
    await expect(RowStore.open(path, "deflated")).rejects.toThrow(/truncated/);
  });

  it("says when a file is truncated", async () => {
    const path = join(dir, "cut");
    const writer = await RowStoreWriter.create(path);
    await writer.add(["one", "two", "three"]);
    await writer.finish();
    const store = await RowStore.open(path);
    await truncate(`${path}.rows`, 8);
    await expect(RowStore.open(path)).rejects.toThrow(/truncated/);
    expect(store.read(0)).toBe("one");
    expect(() => store.read(2)).toThrow(/truncated/);
    await truncate(`${path}.ends`, 7);
    await expect(RowStore.open(path)).rejects.toThrow(/truncated/);
    store.close();
  });
});

describe("RowEnds", () => {
  it("says where rows start and end, one or many, in small stores and large ones", async () => {
    const path = join(dir, "rows.ends");
    const few = fc.array(fc.oneof(fc.nat(300), fc.constant(2 ** 32 - 1)), { maxLength: 400 });
    const of = (rows: number) => Array.from({ length: rows }, (_, i) => (i * 37) % 101);
    const check = async (lengths: readonly number[], places: readonly number[], pieces: number) => {
      const writer = new RowEndsWriter();
      const written: Uint8Array[] = [];
      lengths.forEach((length, i) => {
        writer.add(length);
        if (i % pieces === 0) written.push(writer.take());
      });
      await writeFile(path, [...written, writer.take()]);
      const ends = RowEnds.open(path);
      const starts = [0];
      for (const length of lengths) starts.push(starts.at(-1)! + length);
      expect([ends.length, ends.total]).toEqual([lengths.length, starts.at(-1)]);
      for (const place of lengths.length === 0 ? [] : places) {
        const row = place % lengths.length;
        const count = Math.min(1 + (place % 200), lengths.length - row);
        expect(ends.span(row)).toEqual([starts[row], starts[row + 1]]);
        expect([...ends.ends(row, count)]).toEqual(starts.slice(row, row + count + 1));
      }
      ends.close();
    };
    const places = fc.array(fc.nat(), { maxLength: 20 });
    await fc.assert(fc.asyncProperty(few, places, fc.integer({ min: 1, max: 150 }), check), runs(40));
    await check(
      of((1 << 19) + 77),
      [0, 1 << 19, (1 << 19) + 76, 63, 64, 65, 127, 128, 300_000, 300_001, 5],
      1000,
    );
  });
});

describe("RowPacker", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc
      .tuple(fc.uint8Array({ minLength: 1, maxLength: 9 }), fc.nat(90_000))
      .map(([piece, length]) => Uint8Array.from({ length }, (_, i) => piece[i % piece.length]!)),
  );

  it("gives back any bytes, with any dictionary, and the same for the same", async () => {
    await fc.assert(
      fc.property(bytes, fc.array(bytes, { maxLength: 4 }), (dictionary, rows) => {
        const packer = new RowPacker(dictionary.subarray(0, 40_000));
        const unpacker = new RowUnpacker(dictionary.subarray(0, 40_000));
        for (const row of [...rows, dictionary]) {
          const packed = packer.pack(row);
          expect(Buffer.compare(unpacker.unpack(packed), row)).toBe(0);
          expect(packed).toEqual(new RowPacker(dictionary.subarray(0, 40_000)).pack(row));
          expect(packed.length).toBeLessThanOrEqual(row.length + row.length / 255 + 16);
        }
      }),
      runs(40),
    );
  });

  it("gives back long rows, repeated from near and far, one after another", () => {
    const words = ["boots ", "black ", "leather ", "a", "waterproof, of ", "é"];
    let state = 9;
    const text = (length: number) => {
      let made = "";
      while (made.length < length) {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        made += state % 5 === 0 ? String(state) : words[state % words.length]!.repeat(1 + (state % 3));
      }
      return Buffer.from(made);
    };
    const dictionary = text(40_000);
    const unpacker = new RowUnpacker(dictionary);
    for (const length of [0, 60_000, 5, 300_000, 17, 2_000_000, 1_000]) {
      const row = text(length);
      expect(Buffer.compare(unpacker.unpack(new RowPacker(dictionary).pack(row)), row)).toBe(0);
    }
  });

  it("is unpacked by the assembled text of kernels.wat", async () => {
    const source = new URL("../../src/store/rows/", import.meta.url);
    const text = await readFile(new URL("kernels.wat", source), "utf8");
    expect(await readFile(new URL("kernels-binary.ts", source), "utf8")).toBe(await kernelsModule(text));
  });

  it("takes little room for what is like its dictionary, or repeats itself", () => {
    const record = Buffer.from(JSON.stringify({ platform: "global-marketplace", prov: { source: "shop" } }));
    const packer = new RowPacker(record);
    expect(packer.pack(record).length).toBeLessThan(16);
    expect(new RowPacker(new Uint8Array()).pack(new Uint8Array(10_000).fill(7)).length).toBeLessThan(60);
  });

  it("reads damaged rows as others, or says so; never past what there is", () => {
    const dictionary = Buffer.from("hiking boots, in black, of leather, waterproof");
    const row = Buffer.from("black hiking boots of waterproof leather, black hiking boots of leather");
    const packed = new RowPacker(dictionary).pack(row);
    const unpacker = new RowUnpacker(dictionary);
    for (let at = 0; at < packed.length; at += 1) {
      for (const value of [0, 255, packed[at]! ^ 16]) {
        const damaged = Uint8Array.from(packed);
        damaged[at] = value;
        try {
          expect(unpacker.unpack(damaged).length).toBeLessThan(70_000);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }
    }
    expect(() => unpacker.unpack(Uint8Array.of(0xf0, 255))).toThrow("damaged");
    expect(Buffer.compare(unpacker.unpack(packed), row)).toBe(0);
  });
});

describe("KeyTable", () => {
  it("finds every key and no other, also where fingerprints agree", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(text, { maxLength: 200 }),
        fc.array(text, { maxLength: 20 }),
        async (keys, more) => {
          const path = join(dir, `k${run++}`);
          const writer = new KeyTableWriter(keys.length);
          for (const [i, key] of keys.entries()) writer.add(key, i);
          await writer.write(path);
          const table = await KeyTable.open(path);
          keys.forEach((key, i) => {
            expect(table.find(key, (n) => keys[n] === key)).toBe(i);
            expect(table.find(key, () => false)).toBeUndefined();
          });
          for (const key of more.filter((k) => !keys.includes(k))) {
            expect(table.find(key, (n) => keys[n] === key)).toBeUndefined();
          }
          table.close();
        },
      ),
      runs(60),
    );
  });
});

describe("FilterColumns", () => {
  it("counts the live records of each platform, domain and language that has any", () => {
    const records = Array.from({ length: 200 }, (_, n) => makeRecord(n));
    const builder = new ColumnsBuilder(undefined, 200);
    for (const record of records) builder.add(record);
    const { lang } = records[3]!;
    const live = RowSet.fromPredicate(200, (row) => row % 7 !== 3 && records[row]!.lang !== lang);
    const columns = new FilterColumns(builder.finish(), live);
    const { platforms, domains, langs } = columns.tally;
    const kinds = [
      [platforms, records.map(({ platform }) => platform), (value: string) => ({ platforms: [value] })],
      [domains, records.map(({ src }) => src), (value: Domain) => ({ domains: [value] })],
    ] as const;
    for (const [counts, values, filterOf] of kinds)
      for (const value of new Set(values))
        expect(counts.get(value as never) ?? 0).toBe(columns.match(filterOf(value as never)).count);
    expect([...langs.values()].reduce((sum, count) => sum + count, 0)).toBe(live.count);
    expect(langs.has(lang)).toBe(false);
    expect([...platforms.values()]).not.toContain(0);
    expect(columns.tallyOf(live)).toBe(columns.tally);
    const [slug] = platforms.keys();
    const ofOne = columns.tallyOf(columns.match({ platforms: [slug!] }));
    expect([...ofOne.platforms]).toEqual([[slug, platforms.get(slug!)]]);
    for (const value of new Set(records.map((record) => record.lang)))
      expect(ofOne.langs.get(value) ?? 0).toBe(columns.match({ platforms: [slug!], langs: [value] }).count);
  });

  it("matches what a plain filter over the records matches", async () => {
    const records = Array.from({ length: 200 }, (_, n) => makeRecord(n));
    const base = new ColumnsBuilder(undefined, 120);
    for (const record of records.slice(0, 120)) base.add(record);
    const builder = new ColumnsBuilder(base.finish(), 200);
    for (const record of records.slice(120)) builder.add(record);
    const live = RowSet.fromPredicate(200, (row) => row % 7 !== 3);
    await writeColumns(join(dir, "columns"), builder.finish(), { records: live, raw: RowSet.none(0) });
    const read = await readColumns(join(dir, "columns"), builder.finish(), { records: 200, raw: 0 });
    expect(read.columns).toEqual(builder.finish());
    const columns = new FilterColumns(read.columns, read.live.records);
    const instants = records.map((record) => Date.parse(record.prov.ts));
    const bound = fc.constantFrom(...instants, 0, 9e15);
    const filters = fc.record(
      {
        domains: fc.subarray(["social", "ecommerce", "web"] as const),
        platforms: fc.subarray(["microblog", "global-marketplace", "global-news", "forum"]),
        langs: fc.subarray(["en", "zh", "es", "EN", "xx"]),
        fromMs: bound,
        toMs: bound,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(filters, (filter) => {
        const expected = records.flatMap((record, row) => {
          const ms = instants[row]!;
          const fits =
            live.has(row) &&
            (filter.domains?.includes(record.src) ?? true) &&
            (filter.platforms?.includes(record.platform) ?? true) &&
            (filter.langs?.some((range) => languageMatches(range, record.lang)) ?? true) &&
            ms >= (filter.fromMs ?? 0) &&
            ms <= (filter.toMs ?? Number.POSITIVE_INFINITY);
          return fits ? [row] : [];
        });
        expect([...columns.match(filter).rows()]).toEqual(expected);
      }),
      runs(300),
    );
    await truncate(join(dir, "columns", "lang.u16"), 10);
    await expect(readColumns(join(dir, "columns"), read.columns, { records: 200, raw: 0 })).rejects.toThrow(
      RangeError,
    );
  });

  it("takes a language range as RFC 4647 does", () => {
    expect(languageMatches("zh", "zh-Hant-TW")).toBe(true);
    expect(languageMatches("ZH", "zh")).toBe(true);
    expect(languageMatches("zh-Hant", "zh")).toBe(false);
    expect(languageMatches("en", "eng")).toBe(false);
  });
});

describe("slice manifests", () => {
  const files = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("records" as const, "raw" as const, "vectors" as const),
      bytes: fc.nat(),
      sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
      rows: fc.integer({ min: 1, max: 1e9 }),
    }),
    { selector: (file) => file.name, minLength: 1 },
  );
  const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 .-]{0,30}$/);

  const manifestArbitrary = fc
    .tuple(files, word, word, fc.integer({ min: 1971 * 12, max: 2100 * 12 }))
    .map(([list, title, licence, month]) =>
      sliceManifest({
        info: { title, licence, platforms: [], vectorModel: "m" },
        platform: { slug: "forum", domain: "social", code: "frm", name: "Forum" },
        lang: "en-GB",
        month,
        firstMs: 0,
        lastMs: 5,
        files: list,
        resources: { comment: 3 },
      }),
    );

  it("come back from the file of a generation, which has each schema once", async () => {
    const path = join(dir, GENERATION_FILES.slices);
    await fc.assert(
      fc.asyncProperty(fc.array(manifestArbitrary, { maxLength: 5 }), async (manifests) => {
        await rm(path, { force: true });
        await writeSliceManifests(path, manifests);
        expect(await readSliceManifests(dir)).toEqual(manifests);
        const { schemas } = JSON.parse(await readFile(path, "utf8"));
        expect(new Set(schemas.map((schema: unknown) => JSON.stringify(schema))).size).toBe(schemas.length);
      }),
      runs(20),
    );
    const [manifest] = fc.sample(manifestArbitrary, { ...runs(1), numRuns: 1 });
    await rm(path);
    await writeSliceManifests(path, [manifest!]);
    const text = await readFile(path, "utf8");
    for (const damaged of [text.replace('"schema":0', '"schema":9'), text.slice(0, -9), "[]"]) {
      await writeFile(path, damaged);
      await expect(readSliceManifests(dir)).rejects.toMatchObject({ code: "generation_invalid" });
    }
  });

  it("are valid, survive JSON, and change their root with anything in them", () => {
    fc.assert(
      fc.property(manifestArbitrary, (manifest) => {
        const read = SliceManifest.parse(JSON.parse(JSON.stringify(manifest)));
        expect(read).toEqual(manifest);
        expect(manifestRoot(read)).toBe(manifest.mirrorlake.root);
        const renamed = { ...read, title: `${manifest.title}!` };
        expect(manifestRoot(renamed)).not.toBe(manifest.mirrorlake.root);
        const [first, ...rest] = read.resources;
        const grown = { ...read, resources: [{ ...first!, rows: first!.rows + 1 }, ...rest] };
        expect(manifestRoot(grown)).not.toBe(manifest.mirrorlake.root);
      }),
    );
  });
});
