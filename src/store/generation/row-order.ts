/**
 * Sort keys of the rows that are written together. Those of raw items keep a page of a video's comments in one place on disk.
 */
export const ROW_ORDER = {
  records: ["id"],
  raw: ["platform", "resource", "parent", "id"],
} as const;

/** The keys as SQL. */
export function rowOrder(table: keyof typeof ROW_ORDER): string {
  return ROW_ORDER[table].map((name) => `${name} NULLS FIRST`).join(", ");
}
