import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Table, tableFromIPC, tableToIPC } from "apache-arrow";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { Table as RustTable, readParquet, writeParquet } from "parquet-wasm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RawItem, SliceItem } from "../../src/contract/slice/slice-item.js";
import { recordOfRow } from "../../src/slice/record-columns.js";
import { recordHash } from "../../src/slice/record-hash.js";
import type { WrittenSlice } from "../../src/staging/publish-slice.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { publishSlices } from "../../src/transfer/publish/publish-slices.js";
import { MODEL, RICH_INFO, richItems } from "../sql/rich-lake.js";

/** The same items in one language and month, so that one slice holds records, raw items and vectors. */
function oneSlice(): SliceItem[] {
  const lang = "und";
  const ts = "2026-05-10T08:00:00Z";
  return richItems().flatMap((item): SliceItem[] => {
    if (item.kind === "raw") {
      return item.raw.platform === "web-docs"
        ? [{ kind: "raw", raw: { ...item.raw, lang, captured_at: ts } }]
        : [];
    }
    if (item.record.platform !== "web-docs") return [];
    const changed = { ...item.record, lang };
    const record = { ...changed, prov: { ...changed.prov, hash: recordHash(changed), ts } };
    const raw: RawItem = {
      platform: "web-docs",
      resource: "page",
      id: record.id,
      lang,
      captured_at: ts,
      score: record.text?.length ?? 0,
      data: { text: record.text ?? "", nested: [{ list: [1, null, true] }] },
    };
    return [
      { ...item, record },
      { kind: "raw", raw },
    ];
  });
}

let dir: string;
let published: WrittenSlice[];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-readers-"));
  async function* items() {
    yield richItems();
  }
  async function* one() {
    yield oneSlice();
  }
  const written = [
    ...(await writeSlices(items(), { out: join(dir, "many"), info: RICH_INFO })),
    ...(await writeSlices(one(), { out: join(dir, "one"), info: RICH_INFO })),
  ];
  const out = join(dir, "published");
  await publishSlices([join(dir, "many"), join(dir, "one")], { out });
  published = written.map((slice) => ({ ...slice, dir: join(out, slice.root) }));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const has = (slice: WrittenSlice, name: string) =>
  slice.manifest.resources.some((file) => file.name === name);
const pathOf = (slice: WrittenSlice, name: string) =>
  join(slice.dir, slice.manifest.resources.find((file) => file.name === name)!.path);

type Row = Record<string, unknown>;

/** A value in plain JavaScript: what is absent is null, whole numbers are numbers, lists are arrays. */
function plain(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "object" && Symbol.iterator in value)
    return Array.from(value as Iterable<unknown>, plain);
  return value;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Texts of a column of apache-arrow from its bytes: its own decoder drops a U+FEFF at the start. */
function exactText(table: Table, name: string, row: number): string | null {
  const column = table.getChild(name)!;
  let first = 0;
  for (const data of column.data) {
    if (row < first + data.length) {
      const at = row - first;
      if (!data.getValid(at)) return null;
      const [from, to] = [data.valueOffsets[at]!, data.valueOffsets[at + 1]!];
      return utf8.decode((data.values as Uint8Array).subarray(Number(from), Number(to)));
    }
    first += data.length;
  }
  throw new RangeError(`row ${row} of ${table.numRows}`);
}

function rowsOf(table: Table): Row[] {
  const texts = table.schema.fields.filter(({ type }) => /^(Large)?Utf8$/.test(String(type)));
  return table.toArray().map((row, i) => {
    const values: Row = Object.fromEntries(
      Object.entries(row.toJSON() as Row).map(([name, value]) => [name, plain(value)]),
    );
    for (const { name } of texts) values[name] = exactText(table, name, i);
    return values;
  });
}

async function byHyparquet(path: string): Promise<Row[]> {
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path), compressors });
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
  );
}

/** Read by arrow-rs, handed over as an Arrow stream, decoded by apache-arrow. */
function byParquetWasm(bytes: Uint8Array): Row[] {
  return rowsOf(tableFromIPC(readParquet(bytes).intoIPCStream()));
}

/**
 * The record batches of an Arrow file as an Arrow stream, for arrow-rs: after its magic (8 bytes with padding) a file has the
 * messages of a stream; apache-arrow writes its schema at the end alone, so that stands before them here.
 */
function streamOf(table: Table, file: Uint8Array): Uint8Array {
  const empty = Buffer.from(tableToIPC(table.slice(0, 0), "stream"));
  const schema = empty.subarray(0, 8 + empty.readInt32LE(4));
  return Buffer.concat([schema, file.subarray(8)]);
}

const withoutMark = (value: unknown): unknown =>
  typeof value === "string"
    ? value.replace(/^\ufeff/, "")
    : Array.isArray(value)
      ? value.map(withoutMark)
      : value;

describe("readers that are not ours, on published slices", () => {
  it("have slices of every kind to read, and one with all three files", () => {
    expect(published.some((slice) => ["records", "raw", "vectors"].every((name) => has(slice, name)))).toBe(
      true,
    );
    expect(published.length).toBeGreaterThan(5);
  });

  it.each(["records", "raw"])(
    "agree on every row of %s: hyparquet, parquet-wasm, apache-arrow",
    async (name) => {
      let seen = 0;
      for (const slice of published.filter((of) => has(of, name))) {
        const path = pathOf(slice, name);
        const ours = await byHyparquet(path);
        const rust = byParquetWasm(await readFile(path));
        expect(ours).toHaveLength(slice.manifest.resources.find((file) => file.name === name)!.rows);
        // Texts in lists pass through the decoder of apache-arrow, which drops a U+FEFF at their start.
        const lists = Object.keys(ours[0]!).filter((key) => ours.some((row) => Array.isArray(row[key])));
        const comparable = (row: Row) => ({
          ...row,
          ...Object.fromEntries(lists.map((key) => [key, withoutMark(row[key])])),
        });
        expect(rust.map(comparable)).toEqual(ours.map(comparable));
        seen += ours.length;
      }
      expect(seen).toBeGreaterThan(20);
    },
  );

  it("find the records as they were given, to the last character", async () => {
    const given = new Map(
      oneSlice().flatMap((item) => (item.kind === "record" ? [[item.record.id, item.record]] : [])),
    );
    const slice = published.find((of) => has(of, "vectors") && of.manifest.mirrorlake.filter.lang === "und")!;
    const rows = await byHyparquet(pathOf(slice, "records"));
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(given.keys()));
    for (const row of rows) expect(recordOfRow(row)).toEqual(given.get(row.id as string));
  });

  it("agree on every vector: apache-arrow, arrow-rs, and hyparquet of what arrow-rs makes of it", async () => {
    let seen = 0;
    for (const slice of published.filter((of) => has(of, "vectors"))) {
      const bytes = await readFile(pathOf(slice, "vectors"));
      const table = tableFromIPC(bytes);
      expect(table.schema.metadata.get("mirrorlake.model")).toBe(MODEL);
      const arrow = table
        .toArray()
        .map((row) => ({ id: String(row.id), vector: Float32Array.from(row.vector as Iterable<number>) }));
      const rust = RustTable.fromIPCStream(streamOf(table, bytes));
      const parquet = writeParquet(rust);
      const buffer = Uint8Array.from(parquet).buffer;
      const rows = await parquetReadObjects({ file: buffer, compressors });
      const again = rows.map((row) => ({
        id: String(row.id),
        vector: Float32Array.from(row.vector as Iterable<number>),
      }));
      expect(again).toEqual(arrow);
      // Each vector stands at the position that its record says.
      const records = (await byHyparquet(pathOf(slice, "records"))).filter(
        ({ vector_row }) => vector_row !== null,
      );
      expect(records).toHaveLength(arrow.length);
      for (const { id, vector_row } of records) expect(arrow[vector_row as number]!.id).toBe(id);
      const given = new Map(
        [...richItems(), ...oneSlice()].flatMap((item) =>
          item.kind === "record" && item.vector !== undefined ? [[item.record.id, item.vector]] : [],
        ),
      );
      for (const { id, vector } of arrow) expect(vector).toEqual(given.get(id));
      seen += arrow.length;
    }
    expect(seen).toBeGreaterThan(5);
  });
});
