import { join } from "node:path";
import { SliceError } from "../contract/errors.js";
import { unlessLacking } from "../contract/lacking.js";
import type { SliceManifest, SliceResource } from "../contract/slice/slice-manifest.js";
import type { Database } from "../duckdb/database.js";
import { allFinite } from "./all-finite.js";
import { VectorFile } from "./arrow-vectors.js";
import type { TableRow } from "./column.js";
import { refuseSlice } from "./refuse-slice.js";

/**
 * Checks the vectors of a slice: as many as its manifest says, of its model, each that of the record at its position, and of
 * finite numbers.
 * @param rows the records, where they were read; else they are
 * @throws SliceError
 * @throws LakeError `too_many_open_files`, `not_readable`, `out_of_memory`, `name_too_long`
 */
export async function checkVectors(
  db: Database,
  dir: string,
  manifest: SliceManifest,
  resource: SliceResource,
  rows?: readonly TableRow[],
): Promise<void> {
  const path = join(dir, resource.path);
  let file: VectorFile | undefined;
  try {
    file = await VectorFile.open(path);
    await checkFile(file, db, dir, manifest, resource, rows);
  } catch (error) {
    const cause = unlessLacking(error);
    if (cause instanceof SliceError || cause !== error) throw cause;
    // The library that reads Arrow throws errors of any kind for what is not Arrow.
    const reason = (cause as Error).message.split("\n")[0]!;
    refuseSlice("slice_corrupt", dir, `${resource.path} cannot be read: ${reason}`, { value: path, cause });
  } finally {
    await file?.close();
  }
}

async function checkFile(
  file: VectorFile,
  db: Database,
  dir: string,
  manifest: SliceManifest,
  resource: SliceResource,
  rows: readonly TableRow[] | undefined,
): Promise<void> {
  const path = join(dir, resource.path);
  const { embedding } = manifest.mirrorlake;
  if (file.length !== resource.rows || embedding === null || file.model !== embedding.model) {
    refuseSlice(
      "slice_content_mismatch",
      dir,
      `${resource.path} has ${file.length} vectors of ${file.model}, not ${resource.rows} of ${embedding?.model}`,
      { value: path },
    );
  }
  const records = join(dir, manifest.resources.find(({ name }) => name === "records")?.path ?? "");
  const sql = "SELECT id FROM read_parquet(?) WHERE vector_row IS NOT NULL ORDER BY vector_row";
  let position = 0;
  const batches =
    rows === undefined ? db.stream<{ id: string }>(sql, [[records]]) : [recordsWithVectors(rows)];
  for await (const batch of batches) {
    for (const { id } of batch) {
      const vector = await file.read(position);
      if (vector.id !== id || !allFinite(vector.values)) {
        refuseSlice("slice_content_mismatch", dir, `vector ${position} is not that of ${id}`, {
          value: path,
        });
      }
      position++;
    }
  }
}

/** The records that have a vector, in the order of the vectors. */
function recordsWithVectors(rows: readonly TableRow[]): { readonly id: string }[] {
  return rows
    .filter((row) => row.vector_row !== null)
    .toSorted((a, b) => (a.vector_row as number) - (b.vector_row as number))
    .map(({ id }) => ({ id: id as string }));
}
