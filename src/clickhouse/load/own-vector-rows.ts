import { join } from "node:path";
import { SearchError } from "../../contract/errors.js";
import { SEARCH_DEFAULTS } from "../../search/defaults.js";
import { GIVEN_VECTORS } from "../../search/index-manifest.js";
import { openVectors } from "../../search/vector/vectors.js";
import { vectorSource } from "../../search/vector-source.js";
import type { OwnSet } from "../own-set.js";
import { RowBinaryWriter } from "../row-binary.js";
import { FACT_COLUMNS, type RecordFacts } from "./record-rows.js";
import type { Staged } from "./staged.js";

/** Columns of the table `own_vectors` in the order of {@link ownVectorRows}. */
export const OWN_VECTOR_COLUMNS: readonly string[] = [...FACT_COLUMNS, "embedder", "numbers"];

/**
 * The vectors of all records of an embedder of the user's own: as slices brought them of its model, else as it made them.
 * @throws SearchError `embedder_invalid` for a vector of the slices with more dimensions than the embedder's
 */
export async function* ownVectorRows(
  staged: Staged,
  load: number,
  facts: RecordFacts,
  { embedder, dims }: OwnSet,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const writer = new RowBinaryWriter();
  const vector = new Float32Array(SEARCH_DEFAULTS.dimensions);
  const stored = new Uint8Array(vector.buffer, 0, dims * Float32Array.BYTES_PER_ELEMENT);
  let first = staged.first.records;
  for (const { name, documentCount } of staged.index.segments) {
    const file = openVectors(await vectorSource(join(staged.search, name), GIVEN_VECTORS));
    try {
      for (let row = 0; row < documentCount; row += 1) {
        signal?.throwIfAborted();
        const ordinal = first + row;
        file.readRun(row, 1, vector);
        if (vector.subarray(dims).some((number) => number !== 0)) throw tooLong(embedder, dims);
        writer.uint64(load).uint32(ordinal).text(facts.ids[ordinal]!).word(facts.platforms[ordinal]!);
        writer.word(facts.domains[ordinal]!).word(facts.langs[ordinal]!).int64(facts.capturedMs[ordinal]!);
        writer.word(facts.languages[ordinal]!).word(embedder).array(dims).raw(stored);
        if (writer.full) yield writer.take();
      }
    } finally {
      file.close();
    }
    first += documentCount;
  }
  yield writer.take();
}

function tooLong(embedder: string, dims: number): SearchError {
  return new SearchError(
    "embedder_invalid",
    `the embedder ${embedder} has ${dims} dimensions, and vectors of the slices have more`,
    { value: dims, remedy: "pass the embedder that made the vectors of the slices, or one with another id" },
  );
}
