/** Rows whose cells of JSON are read, and the fields that these are in. */
export interface ReadCells {
  readonly rows: readonly unknown[];
  readonly fields: readonly string[];
}

/**
 * Reads JSON in the texts of fields where it is a text in quotes, null or a list of texts, numbers, true and false, in every row that
 * has one: tables made of JSON write times and tags so. Objects stay texts: a record can hold none.
 */
export function readJsonCells(rows: readonly unknown[]): ReadCells {
  const fields = new Set<string>();
  for (const row of rows) if (isRow(row)) for (const name of Object.keys(row)) fields.add(name);
  const read = [...fields].filter((name) => isJson(rows, name));
  if (read.length === 0) return { rows, fields: read };
  const parsed = rows.map((row) => {
    if (!isRow(row)) return row;
    const copy: Record<string, unknown> = { ...row };
    for (const name of read)
      if (typeof copy[name] === "string" && copy[name] !== "") copy[name] = JSON.parse(copy[name]);
    return copy;
  });
  return { rows: parsed, fields: read };
}

function isRow(row: unknown): row is Readonly<Record<string, unknown>> {
  return typeof row === "object" && row !== null && !Array.isArray(row);
}

function isJson(rows: readonly unknown[], name: string): boolean {
  let says = false;
  for (const row of rows) {
    const text = isRow(row) && Object.hasOwn(row, name) ? row[name] : undefined;
    if (text === undefined || text === null || text === "") continue;
    if (typeof text !== "string" || !/^(?:".*"|\[[^{]*\]|null)$/s.test(text)) return false;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return false; // text that only looks like JSON
    }
    if (Array.isArray(value) && !value.every((item) => item !== null && typeof item !== "object"))
      return false;
    says ||= value !== null && !(Array.isArray(value) && value.length === 0);
  }
  return says;
}
