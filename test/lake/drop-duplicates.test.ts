import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import type { SortLimits } from "../../src/duckdb/sort-ranges.js";
import { type DuplicateItem, dropDuplicates } from "../../src/staging/drop-duplicates.js";
import { Staging } from "../../src/staging/staging.js";
import { INFO, instant, makeItems, shuffled } from "./items.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-duplicates-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** What is dropped and why, in the order of the reports, and which rows stay. */
async function dropped(items: readonly SliceItem[], most?: SortLimits) {
  const folder = await mkdtemp(join(dir, "staging-"));
  const staging = await Staging.open(folder, INFO, "check");
  try {
    for (let from = 0; from < items.length; from += 512) await staging.add(items.slice(from, from + 512));
    await staging.finish();
    const duplicates: DuplicateItem[] = [];
    await dropDuplicates(staging, (duplicate) => duplicates.push(duplicate), undefined, most);
    return {
      duplicates,
      records: await staging.db.rows("SELECT seq, id FROM records ORDER BY seq"),
      raw: await staging.db.rows("SELECT seq, id FROM raw ORDER BY seq"),
    };
  } finally {
    await staging.close();
  }
}

it("keeps the same items and reports the same ones, however many sorts it takes", {
  tags: "slow",
}, async () => {
  const repeated = [...makeItems(0, 400), ...makeItems(100, 500, 1), ...makeItems(0, 200)];
  // One key more often than a sort may have rows.
  const often = Array.from({ length: 300 }, (_, n): SliceItem => raw("often", n % 40, `text ${n % 7}`));
  const items = shuffled([...repeated, ...often], 3).map((item, n) => ({
    ...item,
    at: { file: `${n % 3}.jsonl`, line: n },
  }));
  const once = await dropped(items);
  expect(once.records).toHaveLength(500);
  expect(once.raw).toHaveLength(501);
  expect(once.duplicates).toHaveLength(items.length - 1001);
  expect(new Set(once.duplicates.map(({ reason }) => reason)).size).toBe(3);
  for (const most of [
    { sortRows: 100, sortBytes: Number.POSITIVE_INFINITY },
    { sortRows: 600, sortBytes: Number.POSITIVE_INFINITY },
    { sortRows: Number.POSITIVE_INFINITY, sortBytes: 50_000 },
  ]) {
    expect(await dropped(items, most)).toEqual(once);
  }
});

it("drops many wide duplicates in the memory that it has", { tags: "slow" }, async () => {
  const wide = (n: number) => `${n} ${"幅の広い行".repeat(60)}`;
  const items = Array.from({ length: 40_000 }, (_, n) => raw(String(n % 20_000), 1, wide(n)));
  const { duplicates, raw: kept } = await dropped(items);
  expect(kept).toHaveLength(20_000);
  expect(duplicates).toHaveLength(20_000);
  expect(new Set(duplicates.map(({ id }) => id)).size).toBe(20_000);
});

it("drops them in smaller sorts where one runs out of memory, each once", { tags: "slow" }, async () => {
  const wide = (n: number) => (n % 2 === 0 ? "short" : `${n} ${"幅の広い行".repeat(64)}`);
  const items = [1, 2].flatMap((day) =>
    Array.from({ length: 30_000 }, (_, n) => raw(String(n), day, wide(n))),
  );
  const { duplicates, raw: kept } = await dropped(items, { sortRows: 1e9, sortBytes: 1e12 });
  expect(kept).toHaveLength(30_000);
  expect(duplicates).toHaveLength(30_000);
  expect(new Set(duplicates.map(({ id }) => id)).size).toBe(30_000);
});

/** A raw item that is wide by all of its texts, none of which is long. */
function raw(id: string, day: number, text: string): SliceItem {
  const texts = { parent: text, reply_to: text, author: text };
  const key = { platform: "microblog", resource: "posts", id, lang: "en", captured_at: instant(day) };
  return { kind: "raw", raw: { ...key, ...texts, score: 1, data: { text } } };
}
