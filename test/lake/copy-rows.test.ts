import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { Database } from "../../src/duckdb/database.js";
import type { SortLimits } from "../../src/duckdb/sort-ranges.js";
import { RAW_COLUMNS } from "../../src/slice/raw-columns.js";
import { copyRows, rowFacts } from "../../src/staging/copy-rows.js";
import { dropDuplicates } from "../../src/staging/drop-duplicates.js";
import { partition } from "../../src/staging/partition.js";
import { Staging } from "../../src/staging/staging.js";
import { INFO } from "./items.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-copy-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const COLUMNS = RAW_COLUMNS.map((column) => ({ ...column, staged: true }));

/** Raw item `n`; the language decides on its part. */
function item(n: number, lang: string, text = `text ${n}`): SliceItem {
  return {
    kind: "raw",
    raw: {
      platform: "microblog",
      resource: "posts",
      id: String(n),
      lang,
      captured_at: "2026-05-01T00:00:00Z",
      score: n,
      data: { text },
    },
  };
}

/** The bytes of the Parquet file of one language, with row groups of 2,048 rows, and the number of sorted rows. */
async function copied(items: readonly SliceItem[], lang: string, most?: SortLimits) {
  const folder = await mkdtemp(join(dir, "staging-"));
  const staging = await Staging.open(folder, INFO, "check");
  try {
    for (let from = 0; from < items.length; from += 512) await staging.add(items.slice(from, from + 512));
    await staging.finish();
    await dropDuplicates(staging, undefined);
    const parts = await partition(staging, undefined, most);
    const { part } = parts.find((each) => each.lang === lang)!;
    const path = join(folder, "raw.parquet");
    const facts = (await rowFacts(staging, "sorted_raw")).get(part)!;
    await copyRows(staging, { table: "sorted_raw", part, facts, columns: COLUMNS }, path, undefined, 2048);
    return { path, bytes: await readFile(path) };
  } finally {
    await staging.close();
  }
}

it("gives the same bytes beside other parts, other duplicates and by any number of sorts", {
  tags: "slow",
}, async () => {
  const items = Array.from({ length: 5000 }, (_, n) => item(n, "en"));
  const alone = await copied(items, "en");
  const others = Array.from({ length: 777 }, (_, n) => item(10_000 + n, "de"));
  expect((await copied([...others, ...items], "en")).bytes.equals(alone.bytes)).toBe(true);
  const most = { sortRows: 1300, sortBytes: Number.POSITIVE_INFINITY };
  expect((await copied(items, "en", most)).bytes.equals(alone.bytes)).toBe(true);
  expect((await copied([...items.slice(0, 2000), ...items, ...others], "en", most)).bytes).toEqual(
    alone.bytes,
  );
});

it("bounds row groups by the length of texts, in the order of ids", { tags: "slow" }, async () => {
  // More than the engine's whole memory while items are staged.
  const long = Array.from({ length: 140 }, (_, n) =>
    item(n, "en", `${n} ${"words of a long page ".repeat(50_000)}`),
  );
  const short = Array.from({ length: 1000 }, (_, n) => item(1000 + n, "en"));
  const { path } = await copied([...short, ...long], "en");
  const db = await Database.open(":memory:");
  try {
    const rows = await db.rows<{ id: string; start: string; length: number }>(
      "SELECT id, data[:20] AS start, length(data)::INTEGER AS length FROM read_parquet(?)",
      [path],
    );
    const ids = [...long.keys(), ...Array.from(short.keys(), (n) => 1000 + n)];
    expect(rows.map(({ id }) => id)).toEqual(ids.map(String).toSorted());
    for (const { id, start, length } of rows) {
      const n = Number(id);
      expect(start).toMatch(n < 1000 ? `{"text":"${n} words` : `{"text":"text ${n}"`);
      expect(length > 1_000_000).toBe(n < 1000);
    }
    const groups = await db.rows<{ bytes: number }>(
      "SELECT DISTINCT row_group_id, row_group_bytes AS bytes FROM parquet_metadata(?)",
      [path],
    );
    expect(groups.length).toBeGreaterThan(5);
    for (const group of groups) expect(group.bytes).toBeLessThan(32 << 20);
  } finally {
    await db.close();
  }
});

it("writes few rows, some with long texts, whole and in the order of ids, as one row group", async () => {
  const text = (n: number) => (n % 7 === 0 ? `${"長い文 ".repeat(400)}${n}` : `text ${n}`);
  const ids = Array.from({ length: 3000 }, (_, n) => n);
  const items = ids.map((n) => item(n, "en", text(n)));
  const { path, bytes } = await copied(items, "en");
  const others = Array.from({ length: 99 }, (_, n) => item(10_000 + n, "de", text(7)));
  expect((await copied([...others, ...items.toReversed()], "en")).bytes.equals(bytes)).toBe(true);
  const db = await Database.open(":memory:");
  try {
    const rows = await db.rows<{ id: string; data: string }>("SELECT id, data FROM read_parquet(?)", [path]);
    expect(rows.map(({ id }) => id)).toEqual(ids.map(String).toSorted());
    for (const { id, data } of rows) expect(JSON.parse(data)).toEqual({ text: text(Number(id)) });
    const [groups] = await db.rows<{ count: number }>(
      "SELECT count(DISTINCT row_group_id) AS count FROM parquet_metadata(?)",
      [path],
    );
    expect(groups).toEqual({ count: 1 });
  } finally {
    await db.close();
  }
});

it("gives the same bytes wherever long texts were staged: in their rows, or beside them", {
  tags: "slow",
}, async () => {
  // So many are staged in their rows; those after them are not.
  const first = Array.from({ length: 300 }, (_, n) =>
    item(10_000 + n, "de", `${n} ${"page ".repeat(12_000)}`),
  );
  const few = Array.from({ length: 400 }, (_, n) => item(n, "en", `${n} ${"ページ".repeat(n * 7)}`));
  expect((await copied([...first, ...few], "en")).bytes).toEqual((await copied(few, "en")).bytes);
  const many = Array.from({ length: 900 }, (_, n) => item(n, "en", `${n} ${"page ".repeat(1000 + n * 7)}`));
  expect((await copied([...first, ...many], "en")).bytes).toEqual((await copied(many, "en")).bytes);
});

it("writes a text of any length that a slice may have", { tags: "slow" }, async () => {
  const long = "one long page ".repeat(2_500_000);
  const { path } = await copied([item(1, "en", long), item(2, "en", "short")], "en");
  const db = await Database.open(":memory:");
  try {
    const rows = await db.rows("SELECT id, length(data)::INTEGER AS length FROM read_parquet(?)", [path]);
    expect(rows).toEqual([
      { id: "1", length: long.length + 11 },
      { id: "2", length: 16 },
    ]);
  } finally {
    await db.close();
  }
});
