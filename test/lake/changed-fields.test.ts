import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Database } from "../../src/duckdb/database.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { UNCHECKED_FILES } from "../../src/lake/lake-paths.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import { RAW_COLUMNS } from "../../src/slice/raw-columns.js";
import { RECORD_COLUMNS, VECTOR_ROW } from "../../src/slice/record-columns.js";
import { CHECKSUMS_FILE, writeChecksums } from "../../src/store/generation/checksums.js";
import { DeflatedFile, DeflatedFileWriter } from "../../src/store/rows/deflated-file.js";
import { RowStore, RowStoreWriter } from "../../src/store/rows/row-store.js";
import { RAW_FORMAT } from "../../src/store/rows/segment.js";
import { COMMENTS, commentId, commentText, QUICK, recordId, videos, write } from "../evolution/support.js";
import { CAMPAIGN, rounds, SEED } from "../support/campaign.js";
import { count } from "../support/count.js";
import { makeItems, random, shuffled } from "./items.js";

const HOUR = 3_600_000;
const GENERATION = join("generations", "2");

let dir: string;
let pristine: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-fields-"));
  pristine = join(dir, "lake");
  await installSlices(await write(join(dir, "a"), makeItems(0, 60)), { lake: pristine, ...QUICK });
  const more = [...makeItems(57, 61, 1), ...videos(0, 1)];
  await installSlices(await write(join(dir, "b"), more), { lake: pristine, ...QUICK });
  // What is removed is hidden, and what quotes it is redacted.
  const target = { kind: "raw", platform: "short-video", resource: "comment", id: "7000003" } as const;
  await removeRecords([target], { lake: pristine, reason: "test" });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Changes a generation behind its back, with checksums that agree; gives the codes of what `verify` finds. */
async function found(change: (generation: string) => Promise<void>, of = pristine): Promise<string[]> {
  const lake = join(dir, "changed");
  await rm(lake, { recursive: true, force: true });
  await cp(of, lake, { recursive: true });
  const generation = join(lake, GENERATION);
  await change(generation);
  await rm(join(generation, CHECKSUMS_FILE));
  await writeChecksums(generation, { except: UNCHECKED_FILES });
  const { problems, files } = await verifyLake(lake, { recall: false, threads: 0 });
  expect(files).toBe("whole");
  return problems.map(({ code, message }) => `${code}: ${message}`);
}

async function isFound(change: (generation: string) => Promise<void>): Promise<boolean> {
  return (await found(change)).length > 0;
}

/** SQL of another value than a column has. */
const OTHER: Readonly<Record<string, (name: string) => string>> = {
  VARCHAR: (name) => `coalesce(${name}, '') || 'x'`,
  "VARCHAR[]": (name) => `list_append(coalesce(${name}, []), 'x')`,
  BOOLEAN: (name) => `NOT coalesce(${name}, false)`,
};
const otherNumber = (name: string) => `coalesce(${name}, 0) + 1`;

const FIELDS = (
  [
    ["records", [...RECORD_COLUMNS, VECTOR_ROW, { name: "price_drop_given", type: "DOUBLE" }]],
    ["raw", [...RAW_COLUMNS, { name: "words", type: "VARCHAR" }]],
  ] as const
).flatMap(([table, columns]) =>
  columns.map(({ name, type }) => ({ table, name, other: (OTHER[type] ?? otherNumber)(`"${name}"`) })),
);

/** What a campaign tries all of, and `npm run test:all` one. */
const some = <T>(all: readonly T[]): readonly T[] => (CAMPAIGN ? all : shuffled(all, SEED).slice(0, 1));

/** Changes a member of a JSON value, at any depth. */
function altered(value: unknown, next: () => number): unknown {
  if (typeof value === "string") return `${value}x`;
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (value === null) return 0;
  const entries = Object.entries(value as object);
  if (entries.length === 0) return Array.isArray(value) ? ["x"] : { x: 1 };
  const at = Math.floor(next() * entries.length);
  const changed = entries.map(
    ([key, member], i) => [key, i === at ? altered(member, next) : member] as const,
  );
  return Array.isArray(value) ? changed.map(([, member]) => member) : Object.fromEntries(changed);
}

/** Writes a row store again, with something else in it. */
async function rewrite(segment: string, kind: "records" | "raw", change: (values: object[]) => void) {
  const path = join(segment, kind);
  const format = kind === "raw" ? RAW_FORMAT : undefined;
  const store = await RowStore.open<object>(path, format);
  const values = [...store.scan()].flat();
  store.close();
  change(values);
  await rm(`${path}.rows`);
  await rm(`${path}.dictionary`, { force: true });
  await rm(`${path}.rows.blocks`, { force: true });
  await rm(`${path}.ends`);
  const writer = await RowStoreWriter.create(path, format, store.dictionary);
  await writer.add(values);
  await writer.finish();
}

/** Changes one row of a row store. */
function alterRow(segment: string, kind: "records" | "raw", next: () => number): Promise<void> {
  return rewrite(segment, kind, (values) => {
    // Rows that a newer edition has replaced are shown to nobody: the last are live.
    const at = values.length - 1 - Math.floor(next() * 3);
    values[at] = altered(values[at], next) as object;
  });
}

/** Gives a record another sample, in the database and in the row store alike. */
async function sample(generation: string, id: string, texts: readonly string[]): Promise<void> {
  const db = await Database.open(join(generation, "corpus.duckdb"));
  await db.run("UPDATE records SET comment_thread = ? WHERE id = ?", [[...texts], id]);
  await db.close();
  await rewrite(join(generation, "segments", "0001"), "records", (values) => {
    const record = values.findLast((value) => (value as { id: string }).id === id);
    Object.assign(record!, { comment_thread: texts });
  });
}

async function patch(path: string, change: (bytes: Buffer) => void): Promise<void> {
  const bytes = await readFile(path);
  change(bytes);
  await writeFile(path, bytes);
}

/** Changes what a deflated file holds. */
async function inflateAndChange(path: string, change: (bytes: Buffer) => Buffer): Promise<void> {
  const file = DeflatedFile.open(path);
  const bytes = Buffer.alloc(file.size);
  file.read(bytes, 0);
  file.close();
  const changed = change(bytes);
  for (const name of [path, `${path}.blocks`]) await rm(name);
  const writer = await DeflatedFileWriter.create(path);
  await writer.append([changed]);
  await writer.finish();
  await writer.close();
}

describe("a field that is changed in a generation, with checksums that agree", () => {
  const next = random(SEED);
  const tried = CAMPAIGN ? FIELDS : shuffled(FIELDS, SEED).slice(0, 2);

  it("is found by verify in the database, whichever it is", { tags: "slow", timeout: HOUR }, async () => {
    const missed: string[] = [];
    for (const { table, name, other } of tried) {
      const share = next();
      const found = await isFound(async (generation) => {
        const db = await Database.open(join(generation, "corpus.duckdb"));
        try {
          const shown = table === "raw" ? "WHERE id <> '7000003'" : "";
          const rows = await db.rows<{ row: number }>(`SELECT "row" FROM ${table} ${shown} ORDER BY "row"`);
          const row = rows[Math.floor(share * rows.length)]!.row;
          await db.run(`UPDATE ${table} SET "${name}" = ${other} WHERE "row" = ?`, [row]);
        } finally {
          await db.close();
        }
      });
      count("flips");
      if (!found) missed.push(`${table}.${name}`);
    }
    count("wrong", missed.length);
    expect(missed).toEqual([]);
  });

  it("is found by verify in the row stores, and in the columns of filters", {
    tags: "slow",
    timeout: HOUR,
  }, async () => {
    const missed: string[] = [];
    for (let round = 0; round < rounds(1); round++)
      for (const store of some(["records", "raw"] as const)) {
        const found = await isFound((generation) =>
          alterRow(join(generation, "segments", "0001"), store, next),
        );
        count("flips");
        if (!found) missed.push(store);
      }
    for (const name of some(["platform.u16", "lang.u16", "captured.f64"])) {
      const found = await isFound(async (generation) => {
        const path = join(generation, "columns", name);
        const bytes = await readFile(path);
        bytes[bytes.length - 2]! ^= 1;
        await writeFile(path, bytes);
      });
      count("flips");
      if (!found) missed.push(name);
    }
    count("wrong", missed.length);
    expect(missed).toEqual([]);
  });

  it("is found by verify in the groups of raw items", { tags: "slow" }, async () => {
    const groups = (generation: string) => join(generation, "segments", "0001", "groups");
    const entries = (generation: string) => `${groups(generation)}.entries`;
    const changes: Readonly<Record<string, (generation: string) => Promise<void>>> = {
      "the score of an entry": (generation) =>
        inflateAndChange(entries(generation), (bytes) => {
          bytes.writeDoubleLE(12.5, 16);
          return bytes;
        }),
      "the row of an entry": (generation) =>
        inflateAndChange(entries(generation), (bytes) => {
          bytes.writeDoubleLE(bytes.readDoubleLE(0) + 1, 0);
          return bytes;
        }),
      "an entry that its group does not reach": (generation) =>
        patch(`${groups(generation)}.spans`, (bytes) => bytes.writeUInt32LE(bytes.readUInt32LE(4) - 1, 4)),
      "an entry more": (generation) =>
        inflateAndChange(entries(generation), (bytes) => Buffer.concat([bytes, bytes.subarray(0, 32)])),
    };
    const missed: string[] = [];
    for (const [name, change] of some(Object.entries(changes)))
      if (!(await isFound(change))) missed.push(name);
    expect(missed).toEqual([]);
  });

  it("is found by verify in the downloaded vectors", { tags: "slow" }, async () => {
    const vectors = (generation: string) => join(generation, "search", "segment-0001", "downloaded.f32");
    expect(
      await isFound((generation) =>
        patch(vectors(generation), (bytes) => bytes.writeFloatLE(0.5, bytes.length - 4)),
      ),
    ).toBe(true);
  });

  it("is found by verify in samples that quote what was removed, but for the quotes", {
    tags: "slow",
  }, async () => {
    const quoted = join(dir, "quoted");
    await cp(pristine, quoted, { recursive: true });
    const target = {
      kind: "raw",
      platform: "short-video",
      resource: "comment",
      id: commentId(0, 0),
    } as const;
    await removeRecords([target], { lake: quoted, reason: "test" });
    const [gone, ...left] = Array.from({ length: COMMENTS }, (_, k) => commentText(0, k));
    const wrong = async (texts: readonly string[]) =>
      (await found((generation) => sample(generation, recordId(0), texts), quoted)).map(
        (problem) => problem.split(":")[0],
      );
    expect(await wrong([gone!, ...left.slice(1)])).toContain("record_differs");
    if (CAMPAIGN) expect(await wrong([...left, "what nobody said"])).toContain("record_differs");
    // As where it was loaded after the removal.
    expect(await wrong(left)).not.toContain("record_differs");
  });

  it("is found by verify beside an index that cannot be read", { tags: "slow" }, async () => {
    const problems = await found(async (generation) => {
      const db = await Database.open(join(generation, "corpus.duckdb"));
      await db.run("UPDATE records SET text = 'something else' WHERE id = ?", [recordId(0)]);
      await db.close();
      await rm(join(generation, "search", "index.json"));
    });
    const codes = problems.map((problem) => problem.split(":")[0]);
    expect(codes).toEqual(expect.arrayContaining(["record_differs", "index_unreadable"]));
  });

  it("where nothing is changed, verify finds nothing", { tags: "slow" }, async () => {
    expect(await found(async () => {})).toEqual([]);
  });
});
