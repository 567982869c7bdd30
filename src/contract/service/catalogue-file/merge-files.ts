import type { CatalogueFile } from "./catalogue-file.js";

/** Merges two catalogue files. A row of the second replaces the row of the first with the same id. */
export function mergeCatalogueFiles(first: CatalogueFile, second: CatalogueFile): CatalogueFile {
  const rows = new Map(first.endpoints.map((row) => [row.id, row]));
  for (const row of second.endpoints) rows.set(row.id, row);
  const added = new Set(second.endpoints.map(({ id }) => id));
  const gone = new Set(second.remove);
  const remove = [...new Set([...(first.remove ?? []).filter((id) => !added.has(id)), ...gone])];
  const endpoints = [...rows.values()].filter(({ id }) => !gone.has(id));
  return { catalogue: second.catalogue, ...(remove.length === 0 ? {} : { remove }), endpoints };
}
