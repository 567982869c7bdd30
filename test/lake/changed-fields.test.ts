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
import { CHECKSUMS_FILE, writeChecksums } from "../../src/store/checksums.js";
import { RowStore, RowStoreWriter } from "../../src/store/row-store.js";
import { RAW_FORMAT } from "../../src/store/segment.js";
import { QUICK, videos, write } from "../evolution/support.js";
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

/** Changes a generation behind its back, with checksums that agree; says whether `verify` finds something. */
async function isFound(change: (generation: string) => Promise<void>): Promise<boolean> {
  const lake = join(dir, "changed");
  await rm(lake, { recursive: true, force: true });
  await cp(pristine, lake, { recursive: true });
  const generation = join(lake, GENERATION);
  await change(generation);
  await rm(join(generation, CHECKSUMS_FILE));
  await writeChecksums(generation, { except: UNCHECKED_FILES });
  const { ok, files } = await verifyLake(lake, { recall: false, threads: 0 });
  expect(files).toBe("whole");
  return !ok;
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

/** Writes a row store again, with something else in one row. */
async function alterRow(segment: string, kind: "records" | "raw", next: () => number): Promise<void> {
  const path = join(segment, kind);
  const format = kind === "raw" ? RAW_FORMAT : undefined;
  const store = await RowStore.open<object>(path, format);
  const values = [...store.scan()].flat();
  store.close();
  // Rows that a newer edition has replaced are shown to nobody: the last are live.
  const at = values.length - 1 - Math.floor(next() * 3);
  values[at] = altered(values[at], next) as object;
  await rm(`${path}.rows`);
  await rm(`${path}.rows.blocks`, { force: true });
  await rm(`${path}.ends`);
  const writer = await RowStoreWriter.create(path, format);
  await writer.add(values);
  await writer.finish();
}

describe("a field that is changed in a generation, with checksums that agree", () => {
  const next = random(SEED);
  const tried = CAMPAIGN ? FIELDS : shuffled(FIELDS, SEED).slice(0, 2);

  it(
    "is found by verify in the database, whichever it is",
    async () => {
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
    },
    HOUR,
  );

  it(
    "is found by verify in the row stores, and in the columns of filters",
    async () => {
      const missed: string[] = [];
      for (let round = 0; round < rounds(1); round++)
        for (const store of ["records", "raw"] as const) {
          const found = await isFound((generation) =>
            alterRow(join(generation, "segments", "0001"), store, next),
          );
          count("flips");
          if (!found) missed.push(store);
        }
      for (const name of ["platform.u16", "lang.u16", "captured.f64"]) {
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
    },
    HOUR,
  );

  it("where nothing is changed, verify finds nothing", async () => {
    expect(await isFound(async () => {})).toBe(false);
  });
});
