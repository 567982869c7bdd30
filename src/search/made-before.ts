import { join } from "node:path";
import type { DocumentSource, IndexDocument } from "./document.js";
import { GIVEN_VECTORS, type IndexManifest } from "./index-manifest.js";
import { openVectors, type Vectors } from "./vector/vectors.js";
import { vectorSource } from "./vector-source.js";

/** Rows of an index that come again in the one that extends it, as documents of a new segment. */
export interface MergedRows {
  /** The rows from here on do; those before stay as they are. It is the first row of a segment, or the number of rows. */
  readonly first: number;
  /** The row that each document had; that of a new one is not below the number of rows. */
  readonly former: Int32Array;
  /** Whether all documents were there, and keep their vectors of the default embedder. */
  readonly keepsVectors?: boolean | undefined;
}

/**
 * Gives documents the vectors that the embedder of the given set made for them before, so that it need not be asked again: it may
 * cost money, or say something else.
 */
export function withMadeVectors(
  documents: DocumentSource,
  dir: string,
  { vectorSets, segments }: IndexManifest,
  { former }: MergedRows,
): DocumentSource {
  if (!vectorSets.some(({ name }) => name === GIVEN_VECTORS)) return documents;
  return async function* () {
    const opened: { readonly first: number; readonly vectors: Vectors }[] = [];
    let rows = 0;
    try {
      for (const { name, documentCount } of segments) {
        const vectors = openVectors(await vectorSource(join(dir, name), GIVEN_VECTORS));
        opened.push({ first: rows, vectors });
        rows += documentCount;
      }
      const madeFor = (row: number): Float32Array | undefined => {
        if (row >= rows) return undefined;
        const { first, vectors } = opened.findLast((segment) => row >= segment.first)!;
        return vectors.read(row - first);
      };
      let next = 0;
      for await (const batch of documents()) {
        const first = next;
        next += batch.length;
        yield batch.map((document, i): IndexDocument => ({ ...document, made: madeFor(former[first + i]!) }));
      }
    } finally {
      for (const { vectors } of opened) vectors.close();
    }
  };
}
