/**
 * Formats a record as CSV (RFC 4180, but with `\n` line ends). Cells are quoted only if needed: undefined, which is NULL, is an empty
 * field, and the empty text `""`.
 */
export function formatCsv(cells: readonly (string | undefined)[]): string {
  const line = cells.map((cell) => (cell === undefined ? "" : quoted(cell))).join(",");
  // A record of one NULL would be an empty line, which readers skip.
  return `${line === "" ? '""' : line}\n`;
}

function quoted(cell: string): string {
  return /[",\r\n]|^$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
