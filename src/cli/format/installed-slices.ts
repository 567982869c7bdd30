import { counted, formatCount } from "../../contract/quantity.js";
import type { CliContext } from "../context.js";
import { type Column, formatTable } from "./format-table.js";

/** Longest list of slices that is printed; the rest is counted. */
const LIST_LINES = 20;

const COLUMNS: readonly Column[] = [
  { header: "root" },
  { header: "slice", grow: true },
  { header: "state" },
  { header: "records", align: "right" },
  { header: "raw", align: "right" },
  { header: "vectors", align: "right" },
];

/** What an install says of a slice. */
export interface InstalledSlice {
  readonly root: string;
  readonly name: string;
  readonly state: string;
  readonly records: number;
  readonly raw: number;
  readonly vectors: number;
}

/** Prints the slices of an install as a table. */
export function printInstalledSlices(slices: readonly InstalledSlice[], out: CliContext["out"]): void {
  const rows = slices
    .slice(0, LIST_LINES)
    .map(({ root, name, state, records, raw, vectors }) => [
      root.slice(0, 12),
      name,
      state,
      formatCount(records),
      formatCount(raw),
      formatCount(vectors),
    ]);
  if (rows.length > 0) out.write(formatTable(COLUMNS, rows, out.columns));
  if (slices.length > LIST_LINES) out.write(`… and ${counted(slices.length - LIST_LINES, "more slice")}\n`);
}
