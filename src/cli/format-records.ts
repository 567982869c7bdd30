import type { UnifiedRecord } from "../contract/records.js";
import { formatShort } from "./format-amount.js";
import { type Column, formatTable } from "./format-table.js";

const COLUMNS: readonly Column[] = [
  { header: "#", align: "right" },
  { header: "platform" },
  { header: "lang" },
  { header: "what", grow: true },
  { header: "figures" },
  { header: "captured" },
  { header: "id", grow: true },
];

/** Search results as a table: one line a record, in the order of the answer. */
export function formatRecords(records: readonly UnifiedRecord[], width: number): string {
  const rows = records.map((record, at) => [
    String(at + 1),
    record.platform,
    record.lang,
    headline(record),
    figures(record),
    record.prov?.ts.slice(0, 10) ?? "",
    record.id,
  ]);
  return formatTable(COLUMNS, rows, width);
}

function headline(record: UnifiedRecord): string {
  return record.title ?? record.text ?? record.review_sample?.[0] ?? record.comment_thread?.[0] ?? "";
}

/** The two or three numbers that say most about a record of its domain. */
function figures({ price, metrics = {}, sentiment }: UnifiedRecord): string {
  const parts: string[] = [];
  if (price !== undefined) {
    const drop = price.drop_7d;
    const moved = drop === undefined || drop === 0 ? "" : ` (${drop > 0 ? "+" : ""}${drop.toFixed(1)}%)`;
    parts.push(`${price.currency} ${price.current}${moved}`);
  }
  if (sentiment !== undefined) parts.push(`${sentiment.label} ${sentiment.score}`);
  for (const key of ["rating", "sold", "plays", "views", "likes", "comments"] as const) {
    const value = metrics[key];
    if (value !== undefined && parts.length < 3) parts.push(`${formatShort(value)} ${key}`);
  }
  return parts.join(" · ");
}
