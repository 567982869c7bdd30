/** Rows as CSV (RFC 4180, but with `\n` ends): a header, then a line a row; a cell is quoted where it must be. */
export function formatCsv(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  return [headers, ...rows].map((row) => `${row.map(quoted).join(",")}\n`).join("");
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
