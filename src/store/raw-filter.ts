import type { RawItem } from "../contract/slice/slice-item.js";
import type { SqlValue } from "../duckdb/database.js";
import { languageMatches } from "../slice/language-range.js";
import type { RawFilter, RawOrder } from "./corpus.js";
import { foldedSql } from "./raw-words.js";

/** A SQL condition and its parameters. */
export interface Condition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/**
 * The condition that a row is none of those that were removed, which the engine gets as bits, the first of a byte being its highest: it
 * would take each number of a list by itself, in this thread, and look each row up among them.
 */
export function notRemoved(removed: readonly number[]): [sql: string, ...SqlValue[]] {
  const end = removed.reduce((most, row) => Math.max(most, row), 0) + 1;
  const bits = new Uint8Array((end >> 3) + 1);
  for (const row of removed) bits[row >> 3]! |= 0x80 >> (row & 7);
  return ['get_bit(?::BLOB::BIT, least("row", ?::INTEGER)) = 0', bits, end];
}

/**
 * A filter without ids that no stored item can have, for engines; undefined if no item can pass it. Stored texts are Unicode, and an engine
 * would read half a surrogate pair as U+FFFD, which may be stored.
 */
export function answerableFilter<Filter extends RawFilter>(filter: Filter): Filter | undefined {
  const { platform, resource, ids, parent, replyTo, author, text } = filter;
  const texts = [platform, resource, parent, replyTo, author, text];
  if (texts.some((each) => typeof each === "string" && !each.isWellFormed())) return undefined;
  return ids?.every((id) => id.isWellFormed()) === false
    ? { ...filter, ids: ids.filter((id) => id.isWellFormed()) }
    : filter;
}

/** The condition of a filter on the `raw` table, without removed rows. */
export function rawCondition(asked: RawFilter, removed: readonly number[] = []): Condition {
  const filter = answerableFilter(asked);
  if (filter === undefined) return { sql: "false", params: [] };
  const parts: string[] = ["platform = ?"];
  const params: SqlValue[] = [filter.platform];
  const add = (sql: string, ...values: SqlValue[]) => {
    parts.push(sql);
    params.push(...values);
  };
  if (filter.resource !== undefined) add("resource = ?", filter.resource);
  if (filter.ids !== undefined) add("list_contains(?::VARCHAR[], id)", filter.ids);
  if (filter.parent !== undefined) add("parent = ?", filter.parent);
  if (filter.replyTo === null) add("reply_to IS NULL");
  else if (filter.replyTo !== undefined) add("reply_to = ?", filter.replyTo);
  if (filter.author !== undefined) add("author = ?", filter.author);
  if (filter.lang !== undefined) add(...languageCondition("lang", [filter.lang]));
  if (filter.text !== undefined) add(`contains(words, ${foldedSql("?::VARCHAR")})`, filter.text);
  if (filter.createdFromMs !== undefined) add("created_ms >= ?", filter.createdFromMs);
  if (filter.createdToMs !== undefined) add("created_ms <= ?", filter.createdToMs);
  if (filter.capturedFromMs !== undefined) add("captured_ms >= ?", filter.capturedFromMs);
  if (filter.capturedToMs !== undefined) add("captured_ms <= ?", filter.capturedToMs);
  if (removed.length > 0) add(...notRemoved(removed));
  return { sql: parts.join(" AND "), params };
}

/** The condition that a language column matches one of the ranges (RFC 4647, basic filtering). */
export function languageCondition(column: string, ranges: readonly string[]): [sql: string, ...SqlValue[]] {
  const one = `(lower(${column}) = lower(?) OR starts_with(lower(${column}), lower(?) || '-'))`;
  return [`(${ranges.map(() => one).join(" OR ") || "false"})`, ...ranges.flatMap((range) => [range, range])];
}

/** Whether an item matches a filter, except for `text`, which only the database evaluates. */
export function rawMatches(item: RawItem, filter: Omit<RawFilter, "text">): boolean {
  const created = item.created_at === undefined ? Number.NaN : Date.parse(item.created_at);
  const captured = Date.parse(item.captured_at);
  return (
    item.platform === filter.platform &&
    (filter.resource === undefined || item.resource === filter.resource) &&
    (filter.ids === undefined || filter.ids.includes(item.id)) &&
    (filter.parent === undefined || item.parent === filter.parent) &&
    (filter.replyTo === undefined || item.reply_to === (filter.replyTo ?? undefined)) &&
    (filter.author === undefined || item.author === filter.author) &&
    (filter.lang === undefined || languageMatches(filter.lang, item.lang)) &&
    (filter.createdFromMs === undefined || created >= filter.createdFromMs) &&
    (filter.createdToMs === undefined || created <= filter.createdToMs) &&
    (filter.capturedFromMs === undefined || captured >= filter.capturedFromMs) &&
    (filter.capturedToMs === undefined || captured <= filter.capturedToMs)
  );
}

/** Column of each sort key; ties are sorted by id. */
export const RAW_ORDER_COLUMNS: Readonly<Record<RawOrder, string>> = {
  source: "created_ms",
  created: "created_ms",
  captured: "captured_ms",
  score: "score",
  offset: "offset_s",
  id: "id",
};
