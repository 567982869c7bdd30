import { join } from "node:path";
import { quoteText } from "../../duckdb/quote-sql.js";
import { SLICE_FILES } from "../../slice/read-slice-manifest.js";
import { givenHash } from "../generation/given-hash.js";
import type { SourceSlice } from "../generation/load-tables.js";

/** A slice of a generation. Of a lost one the files cannot be read: what the generation's tables hold stands for its items. */
export interface KnownSlice extends SourceSlice {
  readonly isLost?: boolean;
}

/** Paths of the slices' files of one kind, but for lost slices. */
export function filesOf(slices: readonly KnownSlice[], name: "records" | "raw"): string[] {
  return slices.flatMap(({ dir, manifest, isLost }) =>
    isLost !== true && manifest.resources.some((resource) => resource.name === name)
      ? [join(dir, SLICE_FILES[name].path)]
      : [],
  );
}

/** Roots of the lost slices. */
export function lostRoots(slices: readonly KnownSlice[]): string[] {
  return slices.flatMap(({ manifest, isLost }) => (isLost === true ? [manifest.mirrorlake.root] : []));
}

/** SQL of the rows of slices in a table of the generation that is attached as `corpus`, with the slices' roots. */
export function rowsOfSlices(table: "records" | "raw", roots: readonly string[]): string {
  return `(SELECT item.*, root FROM corpus.${table} item JOIN corpus.slices USING (slice)
    WHERE root IN (${roots.map(quoteText).join(", ")}))`;
}

const COLUMNS = {
  records: ["id", "platform", "author_uid_hash", "prov_hash"],
  raw: ["platform", "resource", "id", "parent", "reply_to", "author", "data"],
} as const;

/**
 * SQL of the items of slices, with the columns that removals are derived from: every edition, but of lost slices those of the generation
 * that is attached as `corpus`.
 */
export function itemsOf(slices: readonly KnownSlice[], table: "records" | "raw"): string {
  const columns = COLUMNS[table].join(", ");
  const files = filesOf(slices, table);
  const lost = lostRoots(slices);
  const stored =
    table === "raw" ? columns : columns.replace("prov_hash", `${givenHash("item")} AS prov_hash`);
  const parts = [
    ...(files.length === 0
      ? []
      : [`SELECT ${columns} FROM read_parquet([${files.map(quoteText).join(", ")}])`]),
    ...(lost.length === 0 ? [] : [`SELECT ${stored} FROM ${rowsOfSlices(table, lost)} item`]),
  ];
  const none = `SELECT ${COLUMNS[table].map((name) => `NULL::VARCHAR AS ${name}`).join(", ")} LIMIT 0`;
  return `(${parts.length === 0 ? none : parts.join(" UNION ALL ")})`;
}
