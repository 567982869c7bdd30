/** Where the keyboard is in a table: a row, and a column of it or the row as a whole (-1). */
export interface GridPlace {
  readonly row: number;
  readonly column: number;
}

/** How large a table is, and how many rows are seen at once. */
export interface GridSize {
  readonly rows: number;
  readonly columns: number;
  readonly seen: number;
}

const within = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));

/** Where a key leads in a table that has a row at least; undefined for keys that lead nowhere. */
export function placeAfter(key: string, { row, column }: GridPlace, size: GridSize): GridPlace | undefined {
  const to = (down: number, across = column): GridPlace => ({
    row: within(down, 0, size.rows - 1),
    column: within(across, -1, size.columns - 1),
  });
  switch (key) {
    case "ArrowDown":
      return to(row + 1);
    case "ArrowUp":
      return to(row - 1);
    case "ArrowRight":
      return to(row, column + 1);
    case "ArrowLeft":
      return to(row, column - 1);
    case "PageDown":
      return to(row + size.seen);
    case "PageUp":
      return to(row - size.seen);
    case "Home":
      return to(0);
    case "End":
      return to(size.rows - 1);
    default:
      return undefined;
  }
}
