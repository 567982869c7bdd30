/** Formats that records are exported in. */
export const EXPORT_FORMATS = ["parquet", "jsonl", "jsonl.gz", "csv", "arrow"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
