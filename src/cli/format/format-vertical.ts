import { displayWidth, oneLine, wrap } from "./display-width.js";

const MIN_VALUE_CELLS = 20;

/**
 * Formats rows as blocks with one line per column, for tables that are wider than the terminal. A long value wraps within the
 * value column.
 */
export function formatVertical(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): string {
  const names = headers.map(oneLine);
  const label = Math.max(...names.map((name) => displayWidth(name)));
  const room = Math.max(MIN_VALUE_CELLS, width - label - 2);
  const blocks = rows.map((row, at) => {
    const title = `── ${at + 1} `;
    const lines = names.flatMap((header, column) =>
      wrap(oneLine(row[column] ?? ""), room).map((part, line) => {
        const name = line === 0 ? header : "";
        return `${name}${" ".repeat(label - displayWidth(name) + 2)}${part}`.trimEnd();
      }),
    );
    return [title + "─".repeat(Math.max(0, Math.min(width, label + 2 + room) - title.length)), ...lines];
  });
  return `${blocks.flat().join("\n")}\n`;
}
