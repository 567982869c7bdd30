import { displayWidth, oneLine, truncate } from "./display-width.js";

/** A column of a table. */
export interface Column {
  readonly header: string;
  /** `left` by default; use `right` for numbers. */
  readonly align?: "left" | "right";
  /** Shrinks, with an ellipsis, when the table is too wide. At least one column should. */
  readonly grow?: boolean;
}

const GAP = 2;
const GROW_MIN = 16;

/**
 * Formats a table as lines of text, aligned by terminal cells. Growing columns shrink to fit `width`, but not below 16 cells, so the
 * table can be wider. Each cell becomes one line.
 */
export function formatTable(
  given: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string {
  const columns = given.map((column) => ({ ...column, header: oneLine(column.header) }));
  const cells = oneLiners(columns, rows);
  const widths = naturalWidths(columns, cells, width);
  const growing = columns.flatMap((column, at) => (column.grow ? [at] : []));
  let excess = lineWidth(widths) - width;
  while (excess > 0) {
    const widest = growing.reduce(
      (best, at) => (widths[at]! > (widths[best] ?? 0) ? at : best),
      growing[0] ?? -1,
    );
    if (widest < 0 || widths[widest]! <= GROW_MIN) break;
    const others = growing.filter((at) => at !== widest).map((at) => widths[at]!);
    const next = Math.max(GROW_MIN, ...others.filter((w) => w < widths[widest]!));
    const cut = Math.min(excess, Math.max(1, widths[widest]! - next));
    widths[widest]! -= cut;
    excess -= cut;
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => {
        const text = truncate(cell, widths[at]!);
        const pad = " ".repeat(Math.max(0, widths[at]! - displayWidth(text)));
        return columns[at]!.align === "right" ? pad + text : text + pad;
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  return `${[columns.map((c) => c.header), widths.map((w) => "─".repeat(w)), ...cells].map(line).join("\n")}\n`;
}

/** Whether {@link formatTable} can fit the table into `width` cells. */
export function tableFits(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): boolean {
  const widths = naturalWidths(columns, oneLiners(columns, rows), width);
  return lineWidth(widths.map((w, at) => (columns[at]!.grow ? Math.min(w, GROW_MIN) : w))) <= width;
}

function oneLiners(columns: readonly Column[], rows: readonly (readonly string[])[]): string[][] {
  return rows.map((row) => columns.map((_, at) => oneLine(row[at] ?? "")));
}

/** Width of each column in cells when no cell is cut. One that shrinks is measured no further than the line is wide. */
function naturalWidths(
  columns: readonly Column[],
  cells: readonly (readonly string[])[],
  line: number,
): number[] {
  return columns.map(({ header, grow }, at) => {
    const enough = grow ? Math.max(line, GROW_MIN) : undefined;
    return cells.reduce(
      (widest, row) => Math.max(widest, displayWidth(row[at]!, enough)),
      displayWidth(header),
    );
  });
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, w) => sum + w, 0) + GAP * (widths.length - 1);
}
