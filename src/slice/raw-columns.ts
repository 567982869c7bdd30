import type { RawItem } from "../contract/slice/slice-item.js";
import type { Column, TableRow } from "./column.js";

/** The columns of `raw.parquet`; NULL stands for an absent key. */
export const RAW_COLUMNS: readonly Column<RawItem>[] = [
  { name: "platform", type: "VARCHAR", of: (item) => item.platform },
  { name: "resource", type: "VARCHAR", of: (item) => item.resource },
  { name: "id", type: "VARCHAR", of: (item) => item.id, description: "unique within platform and resource" },
  { name: "parent", type: "VARCHAR", of: (item) => item.parent ?? null },
  { name: "reply_to", type: "VARCHAR", of: (item) => item.reply_to ?? null },
  { name: "author", type: "VARCHAR", of: (item) => item.author ?? null },
  { name: "lang", type: "VARCHAR", of: (item) => item.lang },
  { name: "captured_at", type: "VARCHAR", of: (item) => item.captured_at, description: "ISO 8601" },
  {
    name: "captured_ms",
    type: "BIGINT",
    of: (item) => Date.parse(item.captured_at),
    description: "the same in milliseconds since the epoch",
  },
  { name: "created_at", type: "VARCHAR", of: (item) => item.created_at ?? null, description: "ISO 8601" },
  {
    name: "created_ms",
    type: "BIGINT",
    of: (item) => (item.created_at === undefined ? null : Date.parse(item.created_at)),
    description: "the same in milliseconds since the epoch",
  },
  { name: "score", type: "DOUBLE", of: (item) => item.score, description: "what rankings sort by" },
  {
    name: "offset_s",
    type: "DOUBLE",
    of: (item) => item.offset_s ?? null,
    description: "seconds into the parent",
  },
  {
    name: "data",
    type: "VARCHAR",
    of: (item) => JSON.stringify(item.data),
    description: "JSON of the item, as endpoints answer it",
  },
];

const OPTIONAL = ["parent", "reply_to", "author", "created_at", "offset_s"] as const;

/** Restores the item of a row of `raw.parquet`, exactly as it was written. */
export function rawOfRow(row: TableRow): RawItem {
  const item: Record<string, unknown> = {
    platform: row.platform,
    resource: row.resource,
    id: row.id,
    lang: row.lang,
    captured_at: row.captured_at,
    score: row.score,
    data: JSON.parse(row.data as string),
  };
  for (const key of OPTIONAL) if (row[key] !== null) item[key] = row[key];
  return item as RawItem;
}
