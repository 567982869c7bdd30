/** Formats that records are exported in. */
export const EXPORT_FORMATS = ["parquet", "jsonl", "jsonl.gz", "csv", "arrow"] as const;
/** One of {@link EXPORT_FORMATS}. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
