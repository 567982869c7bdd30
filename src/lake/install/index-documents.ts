import { join } from "node:path";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import { Database } from "../../duckdb/database.js";
import type { DocumentSource, IndexDocument } from "../../search/document.js";
import { VectorFile } from "../../slice/arrow-vectors.js";
import { SLICE_FILES } from "../../slice/read-slice-manifest.js";
import { GENERATION_FILES, type GenerationManifest } from "../../store/generation-manifest.js";
import { RowStore } from "../../store/row-store.js";
import { LAKE_DEFAULTS } from "../defaults.js";

/** Vector file of each slice, by the slice's number in the generation. */
export type SliceVectors = readonly {
  readonly path: string;
  /** Absent where the slice has no vectors. */
  readonly model: string | undefined;
}[];

/** An LRU pool of open vector files. */
class VectorFiles {
  private readonly files = new Map<number, VectorFile>();

  constructor(private readonly slices: SliceVectors) {}

  async read(slice: number, position: number): Promise<{ model: string; values: Float32Array }> {
    let file = this.files.get(slice);
    if (file === undefined) {
      if (this.files.size >= LAKE_DEFAULTS.openVectorFiles) {
        const [oldest, unused] = this.files.entries().next().value!;
        this.files.delete(oldest);
        await unused.close();
      }
      file = await VectorFile.open(this.slices[slice]!.path);
    } else {
      this.files.delete(slice);
    }
    this.files.set(slice, file);
    const { values } = await file.read(position);
    return { model: this.slices[slice]!.model!, values: values.slice() };
  }

  async close(): Promise<void> {
    for (const file of this.files.values()) await file.close();
    this.files.clear();
  }
}

/** Paths of the vector files of a generation's slices, in the lake's folder of slices. */
export function sliceVectors(
  slices: readonly {
    readonly mirrorlake: { readonly root: string; readonly embedding: { model: string } | null };
  }[],
  sliceDir: (root: string) => string,
): SliceVectors {
  return slices.map(({ mirrorlake: { root, embedding } }) => ({
    path: join(sliceDir(root), SLICE_FILES.vectors.path),
    model: embedding?.model,
  }));
}

/**
 * Reads the records of a generation's newest segment as documents for the search index, in row order, with
 * downloaded vectors. Repeatable.
 */
export function indexDocuments(
  generation: string,
  manifest: GenerationManifest,
  vectors: SliceVectors,
  signal?: AbortSignal,
): DocumentSource {
  const segment = manifest.segments.at(-1)!;
  const first = manifest.segments.slice(0, -1).reduce((sum, { records }) => sum + records, 0);
  return async function* documents(): AsyncGenerator<IndexDocument[], void, void> {
    const store = await RowStore.open<StoredRecord>(
      join(generation, GENERATION_FILES.segments, segment.name, "records"),
    );
    const files = new VectorFiles(vectors);
    const positions = vectors.some(({ model }) => model !== undefined)
      ? positionsOf(join(generation, GENERATION_FILES.database), first, signal)
      : none();
    try {
      let row = first;
      let next = await positions.next();
      for (const records of store.scan(0, store.length, LAKE_DEFAULTS.documentBatch)) {
        signal?.throwIfAborted();
        const batch: IndexDocument[] = [];
        for (const record of records) {
          if (next.value?.row === row) {
            batch.push({
              ...documentOf(record),
              vector: await files.read(next.value.slice, next.value.vector_row),
            });
            next = await positions.next();
          } else {
            batch.push(documentOf(record));
          }
          row++;
        }
        yield batch;
      }
    } finally {
      await positions.return(undefined);
      await files.close();
      store.close();
    }
  };
}

/** Where the vector of a row is. */
interface VectorPosition extends Record<string, unknown> {
  readonly row: number;
  readonly slice: number;
  readonly vector_row: number;
}

async function* none(): AsyncGenerator<VectorPosition, undefined, void> {}

async function* positionsOf(
  database: string,
  first: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<VectorPosition, undefined, void> {
  const db = await Database.open(database, { readOnly: true });
  try {
    const sql = `SELECT "row", slice, vector_row FROM records WHERE "row" >= ? AND vector_row IS NOT NULL ORDER BY "row"`;
    for await (const batch of db.stream<VectorPosition>(sql, [first], signal)) yield* batch;
    return undefined;
  } finally {
    await db.close();
  }
}

function documentOf(record: StoredRecord): IndexDocument {
  const { id, lang, title, text, entities, comment_thread, review_sample } = record;
  return {
    id,
    lang,
    title,
    text,
    entities,
    comment_thread,
    review_sample,
  };
}
