import { formatBytes, formatCount } from "../../contract/quantity.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { type Column, formatTable } from "./format-table.js";

const COLUMNS: readonly Column[] = [
  { header: "root" },
  { header: "platform" },
  { header: "lang" },
  { header: "month" },
  { header: "records", align: "right" },
  { header: "raw", align: "right" },
  { header: "vectors", align: "right" },
  { header: "size", align: "right" },
  { header: "licence", grow: true },
  { header: "title", grow: true },
];

/** Formats slice manifests as a table, one line per slice. */
export function formatSlices(manifests: readonly SliceManifest[], width: number): string {
  const rows = manifests.map(({ mirrorlake: { root, filter, counts }, resources, licenses, title }) => [
    root.slice(0, 12),
    filter.platform,
    filter.lang,
    filter.from.slice(0, 7),
    formatCount(counts.records),
    formatCount(counts.raw),
    formatCount(counts.vectors),
    formatBytes(resources.reduce((sum, { bytes }) => sum + bytes, 0)),
    licenses.map(({ name, title: words }) => name ?? words ?? "").join(", "),
    title,
  ]);
  return formatTable(COLUMNS, rows, width);
}
