import { isDeepStrictEqual } from "node:util";
import type { RowSet } from "../../contract/lake/row-set.js";
import type { Database } from "../../duckdb/database.js";
import { EventLoopTurn } from "../../event-loop-turn.js";
import { nextTurn } from "../../next-turn.js";
import { rawMatches } from "../raw-filter.js";
import { type GroupEntry, type GroupKey, type GroupRow, piecesOf, rawGroupRows } from "./raw-groups.js";
import type { Segment } from "./segment.js";

/** Milliseconds of a turn of the event loop in which groups are compared. */
const TURN_MS = 10;

/** Options of {@link findGroupFaults}. */
export interface GroupCheckOptions {
  /** Called in each turn of the event loop with how many entries of groups were compared. */
  readonly onEntries?: ((entries: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Compares the groups of all segments with those of the database's raw items, and yields a text for each that differs: a group whose
 * live entries are not the items that belong to it, and segments that have live entries beyond them.
 */
export async function* findGroupFaults(
  db: Database,
  segments: readonly Segment[],
  live: RowSet,
  { onEntries, signal }: GroupCheckOptions = {},
): AsyncGenerator<string, void, void> {
  let wanted = 0;
  const turn = new EventLoopTurn(TURN_MS);
  for await (const { key, entries } of groupsOf(rawGroupRows(db, signal))) {
    if (turn.isOver()) {
      onEntries?.(wanted);
      await turn.next();
    }
    wanted += entries.length;
    if (!(await holds(segments, live, key, entries, turn)))
      yield Object.entries(key)
        .map(([name, value]) => `${name} ${value}`)
        .join(", ");
  }
  let held = 0;
  for (const { groups } of segments)
    for (const rows of groups.rows()) {
      signal?.throwIfAborted();
      for (const row of rows) if (live.has(row)) held++;
      await nextTurn();
    }
  if (held !== wanted) yield `all groups: ${held} entries, and ${wanted} items belong to them`;
}

/** Whether the live entries of a group are the given ones. */
async function holds(
  segments: readonly Segment[],
  live: RowSet,
  key: GroupKey,
  entries: readonly GroupEntry[],
  turn: EventLoopTurn,
): Promise<boolean> {
  let compared = 0;
  for (const segment of segments) {
    const span = segment.groups.find(key, (row) => rawMatches(segment.raw(row), key));
    for (const piece of span === undefined ? [] : piecesOf(span)) {
      if (turn.isOver()) await turn.next();
      const held = segment.groups.entriesOf(piece).filter(({ row }) => live.has(row));
      if (!isDeepStrictEqual(held, entries.slice(compared, compared + held.length))) return false;
      compared += held.length;
    }
  }
  return compared === entries.length;
}

/** Rows of groups, put together. */
async function* groupsOf(
  batches: AsyncIterable<readonly GroupRow[]>,
): AsyncGenerator<{ readonly key: GroupKey; readonly entries: GroupEntry[] }, void, void> {
  let current: { key: GroupKey; entries: GroupEntry[] } | undefined;
  for await (const batch of batches)
    for (const row of batch) {
      const key = keyOf(row);
      if (current === undefined || !isDeepStrictEqual(current.key, key)) {
        if (current !== undefined) yield current;
        current = { key, entries: [] };
      }
      current.entries.push({
        row: row.row,
        created: row.created_ms ?? Number.NaN,
        score: row.score,
        offset: row.offset_s ?? Number.NaN,
      });
    }
  if (current !== undefined) yield current;
}

function keyOf({ kind, platform, resource, owner, reply_to }: GroupRow): GroupKey {
  const place = { platform, resource };
  if (kind === "author") return { ...place, author: owner! };
  if (kind === "parent") return { ...place, parent: owner! };
  if (kind === "top") return { ...place, parent: owner!, replyTo: null };
  if (kind === "replies") return { ...place, replyTo: reply_to! };
  return { ...place, parent: owner!, replyTo: reply_to! };
}
