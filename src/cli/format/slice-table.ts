import { counted, formatBytes, formatCount } from "../../contract/quantity.js";
import { type Column, formatTable } from "./format-table.js";

/** Longest list of slices that is shown; the rest is counted. */
const LIST_LINES = 20;

const COLUMNS: readonly Column[] = [
  { header: "root" },
  { header: "slice", grow: true },
  { header: "state" },
  { header: "records", align: "right" },
  { header: "raw", align: "right" },
  { header: "vectors", align: "right" },
];

/** What an install or the plan of a pull says of a slice; a plan says its size in bytes too. */
export interface ListedSlice {
  readonly root: string;
  readonly name: string;
  readonly state: string;
  readonly records: number;
  readonly raw: number;
  readonly vectors: number;
  readonly bytes?: number;
}

/** Formats the first slices as a table of so many characters a line; empty if there are none. */
export function formatSlices(slices: readonly ListedSlice[], width: number): string {
  if (slices.length === 0) return "";
  const sized = slices.some(({ bytes }) => bytes !== undefined);
  const rows = slices
    .slice(0, LIST_LINES)
    .map(({ root, name, state, records, raw, vectors, bytes }) => [
      root.slice(0, 12),
      name,
      state,
      formatCount(records),
      formatCount(raw),
      formatCount(vectors),
      ...(sized ? [formatBytes(bytes ?? 0)] : []),
    ]);
  const columns: readonly Column[] = sized ? [...COLUMNS, { header: "size", align: "right" }] : COLUMNS;
  const left = slices.length - LIST_LINES;
  return `${formatTable(columns, rows, width)}${left > 0 ? `… and ${counted(left, "more slice")}\n` : ""}`;
}
