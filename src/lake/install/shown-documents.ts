import { join } from "node:path";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { PlacedDocument, ShownDocuments } from "../../search/segment/refit-sets.js";
import { GENERATION_FILES } from "../../store/generation/generation-manifest.js";
import { compareBytes } from "../../store/raw-pages.js";
import { RowStore } from "../../store/rows/row-store.js";
import { recordsPath } from "../../store/rows/segment.js";
import type { WrittenRecords } from "../../store/rows/written-records.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { documentOf } from "./index-documents.js";

/**
 * Reads the records that a generation will show as documents, in the order of ids, as one that is built at once has them: those of
 * the base's segments that stay, as far as they are still shown, and those that are written. Repeatable.
 * @param dir folder of the base
 */
export function shownDocuments(
  dir: string,
  { path, first, segments, staying }: WrittenRecords,
  signal?: AbortSignal,
): ShownDocuments {
  return async function* documents() {
    const sources: Source[] = [];
    try {
      let rows = 0;
      for (const { name, records } of segments) {
        const store = recordsPath(join(dir, GENERATION_FILES.segments, name));
        sources.push(await Source.open(store, rows, (row) => staying.has(row)));
        rows += records;
      }
      if (path !== undefined) sources.push(await Source.open(path, first, () => true));
      let batch: PlacedDocument[] = [];
      for (let next = lowest(sources); next !== undefined; next = lowest(sources)) {
        batch.push(next.take());
        if (batch.length < LAKE_DEFAULTS.documentBatch) continue;
        signal?.throwIfAborted();
        yield batch;
        batch = [];
      }
      yield batch;
    } finally {
      for (const source of sources) source.close();
    }
  };
}

/** The records of a row store that are shown, in its order. */
class Source {
  private readonly batches: Generator<StoredRecord[], void, void>;
  private batch: readonly StoredRecord[] = [];
  private at = 0;
  /** Row of the first record of the batch. */
  private first: number;

  private constructor(
    private readonly store: RowStore<StoredRecord>,
    first: number,
    private readonly isShown: (row: number) => boolean,
  ) {
    this.batches = store.scan(0, store.length, LAKE_DEFAULTS.documentBatch);
    this.first = first;
    this.settle();
  }

  static async open(path: string, first: number, isShown: (row: number) => boolean): Promise<Source> {
    return new Source(await RowStore.open<StoredRecord>(path), first, isShown);
  }

  /** The next record; undefined at the end. */
  get next(): StoredRecord | undefined {
    return this.batch[this.at];
  }

  /** Returns the next record as a document, and goes on. */
  take(): PlacedDocument {
    const placed = { row: this.first + this.at, document: documentOf(this.batch[this.at]!) };
    this.at += 1;
    this.settle();
    return placed;
  }

  close(): void {
    this.store.close();
  }

  /** Goes to the next record that is shown. */
  private settle(): void {
    for (;;) {
      while (this.at < this.batch.length && !this.isShown(this.first + this.at)) this.at += 1;
      if (this.at < this.batch.length) return;
      const { done, value } = this.batches.next();
      this.first += this.batch.length;
      this.batch = done ? [] : value;
      this.at = 0;
      if (done) return;
    }
  }
}

/** The source whose next record has the lowest id; undefined when all are at their end. */
function lowest(sources: readonly Source[]): Source | undefined {
  let found: Source | undefined;
  for (const source of sources) {
    const id = source.next?.id;
    if (id !== undefined && (found === undefined || compareBytes(id, found.next!.id) < 0)) found = source;
  }
  return found;
}
