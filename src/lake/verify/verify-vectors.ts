import { join } from "node:path";
import type { Database } from "../../duckdb/database.js";
import { EventLoopTurn } from "../../event-loop-turn.js";
import type { SearchIndex } from "../../search/search-index.js";
import { VectorFile } from "../../slice/arrow-vectors.js";
import { SLICE_FILES } from "../../slice/read-slice-manifest.js";
import { VECTOR_ROW } from "../../slice/record-columns.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import type { Wrong } from "./verify-against-slices.js";

/**
 * Compares the vector that the index has of each record with the one that its slice has, to the bit.
 * @param options.onRows called with each number of vectors that were compared
 */
export async function verifyVectors(
  index: SearchIndex,
  db: Database,
  slices: readonly SourceSlice[],
  wrong: Wrong,
  { onRows, signal }: { readonly onRows?: (rows: number) => void; readonly signal?: AbortSignal },
): Promise<void> {
  const turn = new EventLoopTurn(LAKE_DEFAULTS.turnMs);
  let differing = 0;
  for (const { dir, manifest } of slices) {
    if (!manifest.resources.some(({ name }) => name === "vectors")) continue;
    const file = await VectorFile.open(join(dir, SLICE_FILES.vectors.path));
    try {
      const sql = `SELECT "row", id, ${VECTOR_ROW.name} AS position FROM records JOIN slices USING (slice)
        WHERE root = ? AND position IS NOT NULL ORDER BY position`;
      for await (const batch of db.stream(sql, [manifest.mirrorlake.root], signal)) {
        for (const found of batch) {
          if (turn.isOver()) await turn.next();
          const { id, values } = await file.read(found.position as number);
          if (id === found.id && sameBits(values, index.vector(found.row as number))) continue;
          differing++;
          wrong("vector_differs", `The vector of ${found.id} is not what its slice says`, found.id);
        }
        onRows?.(batch.length);
        if (differing >= LAKE_DEFAULTS.verifyProblems) return;
      }
    } finally {
      await file.close();
    }
  }
}

function sameBits(a: Float32Array, b: Float32Array): boolean {
  const bytes = ({ buffer, byteOffset, byteLength }: Float32Array) =>
    Buffer.from(buffer, byteOffset, byteLength);
  return bytes(a).equals(bytes(b));
}
