import { columnNames } from "../../slice/column.js";
import { RAW_COLUMNS } from "../../slice/raw-columns.js";
import { RECORD_COLUMNS } from "../../slice/record-columns.js";
import { RAW_WORDS } from "../raw-words.js";
import { givenHash } from "./given-hash.js";

/** How a kind of items stands in slices and in a generation's tables. */
export interface ItemKind {
  readonly table: "records" | "raw";
  /** Columns by which two items are editions of one. */
  readonly key: readonly string[];
  readonly capturedMs: string;
  /** Tie-breaker among items of one capture, before the slice: it survives a revision of the slice. */
  readonly content: string;
  /** The same of a row `old` of the table. */
  readonly storedContent: string;
  readonly columns: string;
  /** Expressions of the columns, evaluated on Parquet. */
  readonly values: string;
}

/** Records. */
export const RECORDS: ItemKind = {
  table: "records",
  key: ["id"],
  capturedMs: "prov_ts_ms",
  content: "prov_hash",
  storedContent: givenHash("old"),
  columns: `${columnNames(RECORD_COLUMNS)}, vector_row, price_drop_given`,
  values: `${columnNames(RECORD_COLUMNS)}, vector_row, price_drop_7d`,
};

/** Raw items. */
export const RAW: ItemKind = {
  table: "raw",
  key: ["platform", "resource", "id"],
  capturedMs: "captured_ms",
  content: "md5(data)",
  storedContent: "md5(old.data)",
  columns: `${columnNames(RAW_COLUMNS)}, words`,
  values: `${columnNames(RAW_COLUMNS)}, ${RAW_WORDS}`,
};

/** The table of what was withdrawn of a kind: the row and the key of each item that was shown of slices that go. */
export function goneTable(table: ItemKind["table"]): string {
  return `gone_${table}`;
}
