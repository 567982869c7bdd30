import { counted, formatCount } from "../../contract/quantity.js";
import { PII_KINDS } from "../../dataset/pii/find-pii.js";
import type { PiiReport } from "../../dataset/pii/pii-report.js";
import { formatTable } from "./format-table.js";

/** Formats a report of personal data: one line per column and kind, then the sums. */
export function formatPii({ columns, total, records, raw, slices }: PiiReport, width: number): string {
  const lines = columns.flatMap(({ table, column, texts, found }) =>
    PII_KINDS.flatMap((kind) => {
      const finding = found[kind];
      if (finding === undefined) return [];
      const share = `${formatCount(finding.values)} of ${formatCount(texts)}`;
      return [[`${table}.${column}`, kind, formatCount(finding.matches), share, finding.examples.join("  ")]];
    }),
  );
  const table = formatTable(
    [
      { header: "column" },
      { header: "kind" },
      { header: "found", align: "right" },
      { header: "texts", align: "right" },
      { header: "examples, masked", grow: true },
    ],
    lines,
    width,
  );
  const sums = PII_KINDS.map((kind) => counted(total[kind], kind));
  const looked = `${counted(records, "record")} and ${counted(raw, "raw item")} of ${counted(slices, "slice")}`;
  return `${lines.length === 0 ? "" : table}${sums.join(", ")} in ${looked}\n`;
}
