import type { ResolvedColumn } from "./columns.js";
import { fitColumns, textColumns } from "./text-width.js";

const WIDEST = 48;

/** Formats rows of text as aligned columns for a terminal; numbers are right-aligned. */
export function plainTable(columns: readonly ResolvedColumn[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const head = columns.map(({ label, unit }) => (unit === undefined ? label : `${label} (${unit})`));
  const lines = [head, ...rows].map((row) =>
    row.map((text) => fitColumns(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "), WIDEST)),
  );
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => textColumns(line[i] ?? ""))));
  return lines
    .map((line) =>
      line
        .map((text, i) => {
          const padding = " ".repeat(Math.max(0, widths[i]! - textColumns(text)));
          return columns[i]!.kind === "number" ? padding + text : text + padding;
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
