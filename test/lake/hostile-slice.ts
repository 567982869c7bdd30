import { cp, open, readFile, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import fc from "fast-check";
import { Database } from "../../src/duckdb/database.js";
import { quoteName, quoteText } from "../../src/duckdb/quote-sql.js";
import { VectorFile, writeVectors } from "../../src/slice/arrow-vectors.js";
import { RAW_COLUMNS } from "../../src/slice/raw-columns.js";
import { manifestRoot } from "../../src/slice/read-slice-manifest.js";
import { RECORD_COLUMNS, VECTOR_ROW } from "../../src/slice/record-columns.js";
import { ANY_CHARACTER } from "../support/any-character.js";
import { makeWritable, overwrite, reseal } from "./reseal.js";

/** A change of a valid slice. What it states of sizes, hashes and captures is made right again afterwards. */
export type Mutation =
  | {
      readonly kind: "cell";
      readonly table: "records" | "raw";
      readonly column: string;
      readonly row: number;
      readonly sql: string;
      /** Whether rows are put in order again. */
      readonly sort?: boolean;
    }
  | { readonly kind: "table"; readonly table: "records" | "raw"; readonly query: string }
  | {
      readonly kind: "vector";
      readonly at: number;
      readonly what: "zero" | "huge" | "nan" | "id" | "drop" | "model";
    }
  | { readonly kind: "bytes"; readonly at: number; readonly bit: number }
  | { readonly kind: "manifest"; readonly path: number; readonly json: string };

const TEXTS = [
  "",
  " ",
  "not a time",
  "null",
  "NaN",
  "x".repeat(401),
  "x".repeat(100_000),
  "\u001b[2J\u0007",
  "a\u0000b",
  "\u202e",
  "é".normalize("NFD"),
  "😀".repeat(150),
  "'; DROP TABLE records; --",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "soc_mbl_",
  "soc_mbl_😀",
  "soc_mbl_a b",
  "2026-05-12T12:00:00Z",
  "2026-05-12T12:00:00.1239Z",
  "2026-02-30T12:00:00Z",
  "2026-05-12",
  "2026-05-12T24:00:00Z",
  "2999-01-01T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59+14:00",
  "+275760-09-13T00:00:00Z",
  "2026-05-12T12:00:00+23:59",
  "0x",
  "0xABC",
  "0x12",
  "EUR",
  "eur",
  "zh",
  "web",
  "social",
  "short-video",
];
const JSON_TEXTS = [
  "",
  "{",
  "{}",
  "[]",
  "null",
  "1",
  '"text"',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":1,}',
  '{"a":1e999}',
  '{"a":-1e999}',
  '{"a":1}x',
  "{'a':1}",
  "{a:1}",
  '{"a":"\\ud800"}',
  '{"\\udfff":1}',
  '{"__proto__":{"a":1}}',
  '{"constructor":1}',
  '{"a":1,"a":2}',
  '{"a":123456789012345678901234567890}',
  '{"b":1,"a":2}',
  '{"a":1.50}',
  '{"a":null}',
  '{"a":{"b":1}}',
  '{"a":["x",1]}',
  '{"a":["x"]}',
  '{"topic":5}',
  '{"stock":"few"}',
  '{"a":-0}',
  '\ufeff{"a":1}',
  '{"a":"\\u0000"}',
  '{"text":5,"title":[],"name":{}}',
  '{"text":null}',
  '{"id":{}, "prov":7}',
  `{"a":${"[".repeat(600)}${"]".repeat(600)}}`,
  `{"a":${"[".repeat(400)}${"]".repeat(400)}}`,
  `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`,
];
const NUMBERS = [
  "NULL",
  "-1",
  "0",
  "9007199254740991",
  "9007199254740992",
  "9223372036854775807",
  "-9223372036854775808",
  "1778587200000",
];
const DOUBLES = [
  "NULL",
  "'nan'",
  "'inf'",
  "'-inf'",
  "-1",
  "-0.0",
  "1e308",
  "5e-324",
  "0.5",
  "4503599627370496.5",
];
const LISTS = [
  "NULL",
  "[]",
  "[NULL]",
  "['a', NULL]",
  "['']",
  "['metrics']",
  "['extra', 'metrics']",
  "['prov']",
  "['\u001b[2J']",
];
const QUERIES = [
  "SELECT * FROM t ORDER BY pos DESC",
  "SELECT * FROM t WHERE pos > 0",
  "SELECT * FROM t WHERE false",
  "SELECT * FROM t UNION ALL SELECT * FROM t ORDER BY pos",
  "SELECT *, 1 AS more FROM t",
  "SELECT * REPLACE (lang::BLOB AS lang) FROM t",
  "SELECT * REPLACE (NULL::VARCHAR AS lang) FROM t",
  "SELECT * EXCLUDE (lang) FROM t",
  "SELECT * RENAME (lang AS LANG) FROM t",
  "SELECT * REPLACE (platform::ENUM('microblog', 'short-video', 'global-news', 'global-marketplace') AS platform) FROM t",
];
const MANIFEST_VALUES = [
  "null",
  "-1",
  "1",
  "0.5",
  "1e999",
  "9007199254740993",
  '""',
  '" "',
  '"__proto__"',
  '"../x"',
  '"\\ud800"',
  '"\\u001b[2J"',
  "[]",
  "{}",
  "[[]]",
  '{"__proto__":{}}',
  "true",
  '"2999-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59Z"',
  '"0000-01-01T00:00:00Z"',
  '"2026-05-01T00:00:00+00:00"',
  '"2026-05-12T12:00:00Z"',
  '"zh"',
  '"web"',
  '"social"',
  '"short-video"',
  '"records.parquet"',
  '"x"',
  '"zzz"',
  `"${"0".repeat(64)}"`,
  `"${"long ".repeat(2000)}"`,
  `${"[".repeat(100)}${"]".repeat(100)}`,
  `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
];

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TEXTS) },
  fc.string({ unit: ANY_CHARACTER, maxLength: 12 }),
);
const json = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...JSON_TEXTS) }, fc.json({ maxDepth: 4 }));

function literal(value: string, type: string): string {
  return `${quoteText(Buffer.from(value, "utf8").toString("utf8").replaceAll("\0", ""))}::${type}`;
}

/** SQL of a hostile value for a column. */
function cellOf(type: string): fc.Arbitrary<string> {
  const sql = (values: readonly string[]) => fc.constantFrom(...values).map((value) => `(${value})::${type}`);
  switch (type) {
    case "VARCHAR":
      return fc.oneof(
        fc.constant("NULL::VARCHAR"),
        text.map((value) => literal(value, type)),
        json.map((value) => literal(value, type)),
      );
    case "VARCHAR[]":
      return sql(LISTS);
    case "DOUBLE":
      return sql(DOUBLES);
    case "BOOLEAN":
      return sql(["NULL", "true"]);
    case "INTEGER":
      return sql(["NULL", "-1", "0", "1", "2147483647"]);
    default:
      return sql(NUMBERS);
  }
}

const TABLES = { records: [...RECORD_COLUMNS, VECTOR_ROW], raw: RAW_COLUMNS } as const;

const cell: fc.Arbitrary<Mutation> = fc.constantFrom("records", "raw").chain((table) =>
  fc.constantFrom(...TABLES[table].map(({ name, type }) => ({ name, type }))).chain(({ name, type }) =>
    fc.record({
      kind: fc.constant("cell" as const),
      table: fc.constant(table),
      column: fc.constant(name),
      row: fc.nat(30),
      sql: cellOf(type),
    }),
  ),
);

const jsonCell: fc.Arbitrary<Mutation> = fc
  .constantFrom(
    { table: "raw", column: "data" } as const,
    { table: "records", column: "extra_other" } as const,
  )
  .chain((place) =>
    fc.record({
      kind: fc.constant("cell" as const),
      table: fc.constant(place.table),
      column: fc.constant(place.column),
      row: fc.nat(30),
      sql: json.map((value) => literal(value, "VARCHAR")),
    }),
  );

/** Any mutation: one of a cell most often. */
export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 6, arbitrary: cell },
  { weight: 2, arbitrary: jsonCell },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("table" as const),
      table: fc.constantFrom("records" as const, "raw" as const),
      query: fc.constantFrom(...QUERIES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("vector" as const),
      at: fc.nat(9),
      what: fc.constantFrom(
        "zero" as const,
        "huge" as const,
        "nan" as const,
        "id" as const,
        "drop" as const,
        "model" as const,
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("bytes" as const),
      at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      bit: fc.nat(7),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("manifest" as const),
      path: fc.nat(10_000),
      json: fc.constantFrom(...MANIFEST_VALUES),
    }),
  },
);

/** Copies a slice to a folder, applies a mutation, and makes its checksums right. */
export async function mutated(slice: string, to: string, change: Mutation): Promise<string> {
  const dir = join(to, basename(slice));
  await cp(slice, dir, { recursive: true });
  await makeWritable(dir);
  if (change.kind === "cell" || change.kind === "table") await rewriteTable(dir, change);
  else if (change.kind === "vector") await rewriteVectors(dir, change);
  else if (change.kind === "bytes") await flipBit(join(dir, "vectors.arrow"), change);
  await reseal(dir);
  if (change.kind === "manifest") await editManifest(dir, change);
  return dir;
}

async function rewriteTable(
  dir: string,
  change: Extract<Mutation, { kind: "cell" | "table" }>,
): Promise<void> {
  const path = join(dir, `${change.table}.parquet`);
  const db = await Database.open(":memory:", { threads: 1 });
  try {
    await db.run(
      `CREATE TABLE t AS SELECT *, file_row_number AS pos FROM read_parquet(${quoteText(path)}, file_row_number = true)`,
    );
    await db.run("ALTER TABLE t DROP file_row_number");
    if (change.kind === "cell") {
      await db.run(
        `UPDATE t SET ${quoteName(change.column)} = ${change.sql} WHERE pos = ${change.row} % (SELECT count(*) FROM t)`,
      );
    }
    const key = change.table === "records" ? "id" : "resource, id";
    const query =
      change.kind === "table" ? change.query : `SELECT * FROM t ORDER BY ${change.sort ? key : "pos"}`;
    await rename(path, `${path}.old`);
    await db.run(`COPY (SELECT * EXCLUDE (pos) FROM (${query})) TO ${quoteText(path)} (FORMAT parquet)`);
    await rm(`${path}.old`);
    await restate(db, dir, change.table);
  } finally {
    await db.close();
  }
}

/** Makes the rows and captures that the manifest states those of the files, where they can be read. */
async function restate(db: Database, dir: string, table: "records" | "raw"): Promise<void> {
  const path = join(dir, `${table}.parquet`);
  const ms = table === "records" ? "prov_ts_ms" : "captured_ms";
  const [row] = await db
    .rows<{ n: number; first: number | null; last: number | null }>(
      `SELECT count(*) AS n, min(${ms}) AS first, max(${ms}) AS last FROM read_parquet(?)`,
      [[path]],
    )
    .catch(() => []);
  const instant = (at: number) =>
    Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : "9999-01-01T00:00:00Z";
  await reseal(dir, (manifest) => {
    manifest.resources.find(({ name }) => name === table)!.rows = row?.n ?? 0;
    Object.assign(manifest.mirrorlake.counts as object, { [table]: row?.n ?? 0 });
    if (row?.first != null && row.last != null && manifest.resources.length < 3)
      Object.assign(manifest.mirrorlake.captured as object, {
        first: instant(Number(row.first)),
        last: instant(Number(row.last)),
      });
  });
}

async function rewriteVectors(
  dir: string,
  { at, what }: Extract<Mutation, { kind: "vector" }>,
): Promise<void> {
  const path = join(dir, "vectors.arrow");
  const source = await VectorFile.open(path);
  const rows: { id: string; values: Float32Array }[] = [];
  for (let i = 0; i < source.length; i++) {
    const { id, values } = await source.read(i);
    rows.push({ id, values: values.slice() });
  }
  const model = source.model;
  await source.close();
  const row = rows[at % rows.length]!;
  if (what === "zero") row.values.fill(0);
  else if (what === "huge") row.values.fill(3.4e38);
  else if (what === "nan") row.values[7] = Number.NaN;
  else if (what === "id") rows[at % rows.length] = { ...row, id: `${row.id}x` };
  else if (what === "drop") rows.splice(at % rows.length, 1);
  await rm(path);
  const file = await open(path, "wx");
  async function* all() {
    yield* rows;
  }
  try {
    await writeVectors(file, all(), { model: what === "model" ? "another" : model });
  } finally {
    await file.close();
  }
  if (what !== "drop") return;
  await reseal(dir, (manifest) => {
    manifest.resources.find(({ name }) => name === "vectors")!.rows = rows.length;
    Object.assign(manifest.mirrorlake.counts as object, { vectors: rows.length });
  });
}

async function flipBit(path: string, { at, bit }: Extract<Mutation, { kind: "bytes" }>): Promise<void> {
  const bytes = await readFile(path);
  bytes[Math.floor(at * bytes.length)]! ^= 1 << bit;
  await overwrite(path, bytes);
}

/** Puts JSON at a place of the manifest, or adds it; the root is made right where that can be computed. */
async function editManifest(
  dir: string,
  { path, json }: Extract<Mutation, { kind: "manifest" }>,
): Promise<void> {
  const file = join(dir, "datapackage.json");
  const manifest = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
  const places: { readonly in: Record<string, unknown>; readonly key: string }[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key === "hash" || key === "bytes" || key === "root") continue;
      places.push({ in: value as Record<string, unknown>, key });
      walk(member);
    }
    if (!Array.isArray(value)) places.push({ in: value as Record<string, unknown>, key: "more" });
  };
  walk(manifest);
  const place = places[path % places.length]!;
  place.in[place.key] = "@@here@@";
  const edited = () => JSON.stringify(manifest).replace('"@@here@@"', () => json);
  const facts = manifest.mirrorlake;
  try {
    if (typeof facts === "object" && facts !== null)
      Object.assign(facts, { root: manifestRoot(JSON.parse(edited()) as { mirrorlake: object }) });
  } catch {
    // What has no canonical JSON has no root.
  }
  await overwrite(file, edited());
}
