import { open } from "node:fs/promises";
import { sep } from "node:path";
import type { Cells } from "../../duckdb/cells.js";
import type { Database } from "../../duckdb/database.js";
import { quoteName, quoteText } from "../../duckdb/quote-sql.js";
import { csvScan, sampleOptions } from "./csv-scan.js";
import { badLine, unreadable } from "./file-failure.js";
import type { PlannedTable } from "./own-tables.js";

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
        else await db.run(`CREATE VIEW ${quoteName(table.name)} AS ${await scanOf(db, table)}`);
      } catch (cause) {
        const { message } = cause as Error;
        throw badLine(message, cause, table.path) ?? unreadable(table.path, message, { cause });
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
  const pattern = path.replace(/[*?[]/g, "[$&]");
  // The engine parts a pattern at backslashes, also where they are of names; a file that the mark finds beside this one may not be read.
  return pattern === path || sep === "\\" ? pattern : pattern.replaceAll("\\", "?");
}

async function scanOf(db: Database, file: PlannedFile): Promise<string> {
  const at = quoteText(literalPath(file.path));
  if (file.format === "parquet") return `SELECT * FROM read_parquet(${at}, hive_partitioning = false)`;
  if (file.format !== "json") return csvScan(db, at, file);
  const options = [at, "hive_partitioning = false", ...(await sampleOptions(file.path))];
  return `SELECT * FROM read_json_auto(${options.join(", ")})`;
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
