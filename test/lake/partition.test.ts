import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { type SortLimits, sortStarts } from "../../src/duckdb/sort-ranges.js";
import { partition } from "../../src/staging/partition.js";
import { Staging } from "../../src/staging/staging.js";
import { INFO, instant, makeItems, withHash } from "./items.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-partition-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** The rows of both sorted tables, in their order on disk. */
async function sorted(most?: SortLimits, items: readonly SliceItem[] = makeItems(0, 900), rawColumns = "*") {
  const folder = await mkdtemp(join(dir, "staging-"));
  const staging = await Staging.open(folder, INFO, "check");
  try {
    for (let from = 0; from < items.length; from += 512) await staging.add(items.slice(from, from + 512));
    await staging.finish();
    const parts = await partition(staging, undefined, most);
    return {
      parts,
      records: await staging.db.rows("SELECT * FROM sorted_records"),
      raw: await staging.db.rows(`SELECT ${rawColumns} FROM sorted_raw`),
    };
  } finally {
    await staging.close();
  }
}

it("sorts rows as one sort would, however many sorts it takes", { tags: "slow" }, async () => {
  const once = await sorted();
  expect(once.parts.length).toBeGreaterThan(3);
  expect(once.records.length).toBeGreaterThan(400);
  expect(once.raw.length).toBeGreaterThan(100);
  for (const most of [
    { sortRows: 250, sortBytes: Number.POSITIVE_INFINITY },
    { sortRows: 60, sortBytes: Number.POSITIVE_INFINITY },
    { sortRows: Number.POSITIVE_INFINITY, sortBytes: 50_000 },
    { sortRows: Number.POSITIVE_INFINITY, sortBytes: 9_000 },
  ]) {
    expect(await sorted(most)).toEqual(once);
  }
});

it.for([
  ["within limits", undefined],
  ["in smaller sorts where the only one runs out of it", { sortRows: 1e9, sortBytes: 1e12 }],
  ["in smaller sorts where one of several does", { sortRows: 49_000, sortBytes: 1e12 }],
] as const)(
  "sorts the wide rows of one language beside the short ones of others in the memory that it has, %s",
  {
    tags: "slow",
  },
  async ([, most]) => {
    const text = (n: number, what: string) => `${what} ${n} ${"幅の広い行".repeat(64)}`;
    const items = Array.from({ length: 50_000 }, (_, n): SliceItem => {
      const wide = n % 2 === 1;
      const texts = { parent: text(n, "parent"), reply_to: text(n, "reply"), author: text(n, "author") };
      const raw = {
        platform: "microblog",
        resource: "posts",
        id: String(n),
        captured_at: instant(1),
        score: n,
      };
      const data = { text: wide ? text(n, "text") : "" };
      return { kind: "raw", raw: { ...raw, lang: wide ? "ja" : "en", ...(wide ? texts : {}), data } };
    });
    const { parts, raw } = await sorted(most, items, "part, id, strlen(author) AS width");
    expect(parts.map(({ lang, raw: count }) => [lang, count])).toEqual([
      ["en", 25_000],
      ["ja", 25_000],
    ]);
    const ids = (odd: number) => Array.from({ length: 25_000 }, (_, n) => String(2 * n + odd)).toSorted();
    expect(raw.map(({ id }) => id)).toEqual([...ids(0), ...ids(1)]);
    expect(raw.at(-1)!.width).toBeGreaterThan(900);
  },
);

describe("the rows of each sort", () => {
  const rows = (count: number, bytes: number) => Array.from({ length: count }, () => ({ bytes }));

  it("are as many as may be, where they are short", () => {
    expect(sortStarts(rows(2500, 1), 1, { sortRows: 1000, sortBytes: 1e6 })).toEqual([1000, 2000]);
    expect(sortStarts(rows(25, 1), 100, { sortRows: 1000, sortBytes: 1e6 })).toEqual([10, 20]);
  });

  it("have no more bytes than may be in any rows that are merged at once", () => {
    const limits = { sortRows: 1e9, sortBytes: 1e8 };
    // 122,880 rows are merged at once, and 1,920 of a sample of one in 64.
    expect(sortStarts(rows(100_000, 813), 64, limits)).toEqual([]);
    expect(sortStarts(rows(3000, 1000), 64, limits)).toEqual([1562]);
    expect(sortStarts([...rows(50_000, 100), ...rows(1000, 2000)], 64, limits)).toEqual([50_721]);
  });

  it("are one at least, however wide it is", () => {
    expect(sortStarts(rows(3, 100), 1, { sortRows: 10, sortBytes: 1 })).toEqual([1, 2]);
  });
});

it("keeps every row where fields come that no row before had", async () => {
  const ids = (items: readonly { id?: unknown }[]) => items.map(({ id }) => id);
  const plain = Array.from({ length: 2500 }, (_, n) => withHash(bare(n), instant(1)));
  const more = Array.from({ length: 2500 }, (_, n) => {
    const record = { ...bare(2500 + n), title: "a title", ...(n > 2100 ? { entities: ["one"] } : {}) };
    return withHash(record, instant(1));
  });
  const items = [...plain, ...more].map((record) => ({ kind: "record" as const, record }));
  const { records } = await sorted(undefined, items);
  expect(ids(records)).toEqual(ids([...plain, ...more]).toSorted());
  expect(records.filter(({ title }) => title === "a title")).toHaveLength(2500);
  expect(records.filter(({ entities }) => entities !== null)).toHaveLength(399);
});

function bare(n: number) {
  return { id: `soc_mbl_${n}`, src: "social" as const, platform: "microblog", lang: "en", text: `text ${n}` };
}
