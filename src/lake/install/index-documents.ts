import { join } from "node:path";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { DocumentSource, IndexDocument } from "../../search/document.js";
import { VectorFile } from "../../slice/arrow-vectors.js";
import { SLICE_FILES } from "../../slice/read-slice-manifest.js";
import { RowStore } from "../../store/rows/row-store.js";
import type { WrittenRecords } from "../../store/rows/written-records.js";
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

/** Reads records as documents for the search index, in row order, with downloaded vectors. Repeatable. */
export function indexDocuments(
  { path, count, vectors: { slices, positions } }: WrittenRecords,
  vectors: SliceVectors,
  signal?: AbortSignal,
): DocumentSource {
  return async function* documents(): AsyncGenerator<IndexDocument[], void, void> {
    if (path === undefined) return;
    const store = await RowStore.open<StoredRecord>(path);
    const files = new VectorFiles(vectors);
    try {
      let row = 0;
      for (const records of store.scan(0, count, LAKE_DEFAULTS.documentBatch)) {
        signal?.throwIfAborted();
        const batch: IndexDocument[] = [];
        for (const record of records) {
          const position = positions[row]!;
          if (position === -1) batch.push(documentOf(record));
          else batch.push({ ...documentOf(record), vector: await files.read(slices[row]!, position) });
          row++;
        }
        yield batch;
      }
    } finally {
      await files.close();
      store.close();
    }
  };
}

/** A record as a document of the search index. */
export function documentOf(record: StoredRecord): IndexDocument {
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
