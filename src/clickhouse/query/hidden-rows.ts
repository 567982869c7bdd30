import { type Load, loadList } from "../committed-loads.js";
import { supersededRoots } from "../superseded.js";

/** Which rows of `hidden` are asked for. */
export interface HiddenOptions {
  /** Loads whose removals count, whatever else they do. */
  readonly removing?: readonly Pick<Load, "id">[];
  /** The table, with its database where it is not the connection's. */
  readonly from?: string;
  /** A further condition in SQL. */
  readonly more?: string;
}

/**
 * SQL of the places of rows that loads hide: what they replaced, and whatever was removed. Where slices were superseded, each load that
 * names a row turns it from shown to hidden, or back: numbers of loads do not tell which of two came first.
 * @param loads those that count; of a removal it is enough that it is among `removing`
 */
export function hiddenRows(
  kind: "records" | "raw",
  loads: readonly Load[],
  options: HiddenOptions = {},
): string {
  const superseding = supersededRoots(loads).size > 0;
  const rows = `SELECT load, ordinal FROM ${hidden(kind, loads, options)}`;
  return superseding ? `${rows} GROUP BY load, ordinal HAVING ${NOT_SHOWN}` : rows;
}

/** SQL of the places of rows that are hidden even if nothing was removed: others replaced or superseded them. */
export function replacedRows(kind: "records" | "raw", loads: readonly Load[]): string {
  const rows = `SELECT load, ordinal FROM ${hidden(kind, loads, { more: "removed = 0" })}`;
  return supersededRoots(loads).size > 0
    ? `${rows} GROUP BY load, ordinal HAVING uniqExact(by) % 2 = 1`
    : rows;
}

/** SQL of those of {@link hiddenRows}, each row once, with 1 for what was removed. */
export function hiddenOrRemoved(
  kind: "records" | "raw",
  loads: readonly Load[],
  options: HiddenOptions = {},
): string {
  const superseding = supersededRoots(loads).size > 0;
  return `SELECT load, ordinal, max(removed) FROM ${hidden(kind, loads, options)} GROUP BY load, ordinal
    ${superseding ? `HAVING ${NOT_SHOWN}` : ""}`;
}

const NOT_SHOWN = "max(removed) = 1 OR uniqExactIf(by, removed = 0) % 2 = 1";

function hidden(
  kind: "records" | "raw",
  loads: readonly Load[],
  { removing, from = "hidden", more = "1" }: HiddenOptions,
): string {
  const by = `by IN (${loadList(loads)})`;
  const counts = removing === undefined ? by : `(${by} OR (removed = 1 AND by IN (${loadList(removing)})))`;
  return `${from} WHERE kind = '${kind}' AND ${counts} AND ${more}`;
}
