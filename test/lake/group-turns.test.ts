import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { Database } from "../../src/duckdb/database.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import type { RawQuery } from "../../src/store/corpus.js";
import { findGroupFaults } from "../../src/store/rows/check-raw-groups.js";
import type { GroupSpan } from "../../src/store/rows/raw-groups.js";
import type { Segment } from "../../src/store/rows/segment.js";
import { turnsDuring } from "../support/turns-during.js";
import { batches, INFO, makeComment } from "./items.js";

/** More time than groups may take in one turn of the event loop. */
const LONG_MS = 15;
const GROUPS = 8;

test("the event loop turns between groups that take long to be compared", async () => {
  const db = await Database.open(":memory:");
  await db.run(`CREATE TABLE raw AS SELECT range::INTEGER AS "row", 'forum' AS platform, 'comment' AS resource, range::VARCHAR AS parent,
    'x' AS reply_to, NULL::VARCHAR AS author, 0::BIGINT AS created_ms, 0::DOUBLE AS score, NULL::DOUBLE AS offset_s FROM range(${GROUPS})`);
  let turns = 0;
  const seen = new Set<number>();
  const groups = {
    find: () => {
      seen.add(turns);
      setImmediate(() => turns++);
      const end = performance.now() + LONG_MS;
      while (performance.now() < end);
      return undefined;
    },
    *rows() {},
  };
  const segments = [{ groups }] as unknown as Segment[];
  const live = RowSet.of(GROUPS, [...Array(GROUPS).keys()]);
  const faults: string[] = [];
  for await (const fault of findGroupFaults(db, segments, live)) faults.push(fault);
  expect(faults.length).toBeGreaterThan(GROUPS);
  expect(seen.size).toBeGreaterThanOrEqual(GROUPS);
  await db.close();
});

test("the event loop turns while a large group is compared", async () => {
  const db = await Database.open(":memory:");
  const entries = 20_000;
  await db.run(`CREATE TABLE raw AS SELECT range::INTEGER AS "row", 'forum' AS platform, 'comment' AS resource, 'x' AS parent,
    NULL::VARCHAR AS reply_to, NULL::VARCHAR AS author, 0::BIGINT AS created_ms, 0::DOUBLE AS score, NULL::DOUBLE AS offset_s
    FROM range(${entries})`);
  let turns = 0;
  const seen = new Set<number>();
  const rows = [...Array(entries).keys()];
  const groups = {
    find: () => ({ first: 0, count: entries }),
    entriesOf: ({ first, count }: GroupSpan) => {
      seen.add(turns);
      setImmediate(() => turns++);
      const end = performance.now() + LONG_MS;
      while (performance.now() < end);
      return rows
        .slice(first, first + count)
        .map((row) => ({ row, created: 0, score: 0, offset: Number.NaN }));
    },
    *rows() {
      yield rows; // those of the parent,
      yield rows; // and those that answer no other
    },
  };
  const segments = [{ groups }] as unknown as Segment[];
  const faults: string[] = [];
  for await (const fault of findGroupFaults(db, segments, RowSet.of(entries, rows))) faults.push(fault);
  expect(faults).toEqual([]);
  expect(seen.size).toBeGreaterThanOrEqual(6);
  await db.close();
});

test("the event loop turns while a page of a large group is found, and the page is what one of a small group would be", {
  tags: "slow",
}, async () => {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-large-groups-"));
  const comments = Array.from({ length: 17_000 }, (_, n) => ({
    ...makeComment(n),
    parent: "much-discussed",
  }));
  const slices = batches(comments.map((raw) => ({ kind: "raw", raw })));
  await writeSlices(slices, { out: join(dir, "slices"), info: INFO });
  await installSlices([join(dir, "slices")], { lake: join(dir, "lake") });
  const lake = await Lake.open(join(dir, "lake"));
  const inOrder = comments.toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  const page = { platform: "short-video", resource: "comment", orderBy: "score", descending: true } as const;
  const first = { ...page, offset: 0, limit: 20 } as const;
  try {
    const queries: RawQuery[] = [
      { ...first, parent: "much-discussed" },
      { ...first, offset: 12_345, parent: "much-discussed" },
      { ...first, author: "u7" },
      { ...first, replyTo: "7000001" },
    ];
    const turns: number[] = [];
    for (const query of queries) {
      const found = await turnsDuring(() => lake.corpus.rawPage(query));
      turns.push(found.turns);
      const all = inOrder.filter(
        ({ author = "", reply_to }) =>
          author === (query.author ?? author) && reply_to === (query.replyTo ?? reply_to),
      );
      const { offset, limit } = query;
      expect(found.result).toEqual({ items: all.slice(offset, offset + limit), total: all.length });
    }
    const [parent, deep, author, replies] = turns;
    expect(Math.min(parent!, deep!, author!)).toBeGreaterThan(1);
    expect(replies).toBe(1); // no engine is asked
  } finally {
    await lake.close();
    await rm(dir, { recursive: true, force: true });
  }
});
