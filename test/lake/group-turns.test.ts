import { expect, test } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { Database } from "../../src/duckdb/database.js";
import { findGroupFaults } from "../../src/store/rows/check-raw-groups.js";
import type { Segment } from "../../src/store/rows/segment.js";

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
    read: () => {
      seen.add(turns);
      setImmediate(() => turns++);
      const end = performance.now() + LONG_MS;
      while (performance.now() < end);
      return [];
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
