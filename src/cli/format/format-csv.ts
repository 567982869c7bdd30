/** Formats a record as CSV (RFC 4180, but with `\n` line ends). Cells are quoted only if needed. */
export function formatCsv(cells: readonly string[]): string {
  return `${cells.map(quoted).join(",")}\n`;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
