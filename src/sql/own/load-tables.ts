import { open } from "node:fs/promises";
import type { Cells } from "../../duckdb/cells.js";
import type { Database } from "../../duckdb/database.js";
import { quoteName, quoteText } from "../../duckdb/quote-sql.js";
import { type PlannedTable, unreadable } from "./own-tables.js";

type PlannedFile = Extract<PlannedTable, { kind: "file" }>;

/**
 * Makes tables of a caller in an engine that is not confined yet. Files stay where they are: each becomes a view, and the engine may
 * read them, and no others, when it is confined (DuckDB's `allowed_paths`). Arrow files are copied.
 * @throws SqlError `table_unreadable`
 */
export async function loadTables(
  db: Database,
  tables: readonly PlannedTable[],
  rows: AsyncIterable<{ readonly table: string; readonly rows: Cells }>,
): Promise<void> {
  // The engine asks for a path as it was written, then for the file that it found.
  const paths = tables.flatMap((table) =>
    table.kind === "file" && table.format !== "arrow"
      ? [...new Set([table.path, literalPath(table.path)])]
      : [],
  );
  if (paths.length > 0) await db.run(`SET GLOBAL allowed_paths = [${paths.map(quoteText).join(", ")}]`);
  for (const table of tables) {
    if (table.kind === "rows") await createTable(db, table.name, table.columns);
    else {
      try {
        if (table.format === "arrow") await copyArrow(db, table);
        else await db.run(`CREATE VIEW ${quoteName(table.name)} AS SELECT * FROM ${scanOf(table)}`);
      } catch (cause) {
        throw unreadable(table.path, (cause as Error).message, cause);
      }
    }
  }
  for await (const { table, rows: cells } of rows) await db.append(table, cells);
}

async function createTable(
  db: Database,
  name: string,
  columns: readonly { readonly name: string; readonly type: string }[],
): Promise<void> {
  const list = columns.map((column) => `${quoteName(column.name)} ${column.type}`).join(", ");
  await db.run(`CREATE TABLE ${quoteName(name)} (${list})`);
}

/** Patterns in paths are not to be heeded: a bracket makes a character stand for itself. */
function literalPath(path: string): string {
  return path.replace(/[*?[]/g, "[$&]");
}

function scanOf({ path, format, text }: PlannedFile): string {
  const at = quoteText(literalPath(path));
  if (format === "parquet") return `read_parquet(${at}, hive_partitioning = false)`;
  if (format === "json") return `read_json_auto(${at}, hive_partitioning = false)`;
  const types =
    text === true
      ? ", all_varchar = true"
      : text.length > 0
        ? `, types = {${text.map((column) => `${quoteName(column)}: 'VARCHAR'`).join(", ")}}`
        : "";
  // Quotes are as RFC 4180 has them: what is guessed from few lines may take apostrophes for them.
  const quotes = `quote = '"', escape = '"'`;
  return `read_csv(${at}, hive_partitioning = false, ${quotes}${format === "tsv" ? ", delim = '\t'" : ""}${types})`;
}

async function copyArrow(db: Database, { name, path }: PlannedFile): Promise<void> {
  const { openArrow } = await import("../../duckdb/arrow.js");
  const { cellsOfBatch, columnsOfFields } = await import("../../duckdb/arrow-cells.js");
  const file = await open(path, "r");
  const reader = await openArrow(file).catch(async (error: unknown) => {
    await file.close().catch(() => {}); // the reader may have closed it
    throw error;
  });
  try {
    await createTable(db, name, columnsOfFields(reader.schema.fields));
    for await (const batch of reader) for (const cells of cellsOfBatch(batch)) await db.append(name, cells);
  } finally {
    await reader.cancel();
  }
}
