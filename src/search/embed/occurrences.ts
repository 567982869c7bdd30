import { SEARCH_DEFAULTS } from "../defaults.js";
import type { Geometry } from "./geometry.js";
import type { Vocabulary } from "./vocabulary.js";
import { readWeightedLogs, type WeightedLog } from "./weighted-log.js";

const WHOLE = 2 ** 32;

/**
 * The documents that make up each feature's vector: those of row r stand from `starts[r]` to `starts[r + 1]` − 1. In shared
 * memory: there are hundreds of millions of bytes of them, which every thread reads and none writes.
 */
export interface Occurrences {
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  /** What the document's bytes are multiplied by. */
  readonly weights: Float32Array;
}

/**
 * Turns documents that hold features into features that occur in documents. A feature of many documents is made of a sample
 * of them: any few thousand say as much as all, and the words that mean least would take most of the time.
 */
export function collectOccurrences(
  logs: readonly WeightedLog[],
  vocabulary: Vocabulary,
  geometry: Geometry,
  signal?: AbortSignal,
): Occurrences {
  const sample = SEARCH_DEFAULTS.embed.sample;
  const thresholds = Float64Array.from(vocabulary.documents, (count) =>
    count <= sample ? WHOLE : (WHOLE * sample) / count,
  );
  const starts = new Uint32Array(new SharedArrayBuffer((vocabulary.size + 1) * 4));
  forEachSampled(logs, thresholds, geometry, signal, (_, row) => {
    starts[row + 1]! += 1;
  });
  for (let row = 0; row < vocabulary.size; row += 1) starts[row + 1]! += starts[row]!;
  const next = Uint32Array.from(starts);
  const documents = new Uint32Array(new SharedArrayBuffer(starts.at(-1)! * 4));
  const weights = new Float32Array(new SharedArrayBuffer(documents.byteLength));
  forEachSampled(logs, thresholds, geometry, signal, (document, row, weight) => {
    const at = next[row]!;
    documents[at] = document;
    weights[at] = weight * geometry.scales[document]!;
    next[row] = at + 1;
  });
  return { starts, documents, weights };
}

function forEachSampled(
  logs: readonly WeightedLog[],
  thresholds: Float64Array,
  { inverseLengths }: Geometry,
  signal: AbortSignal | undefined,
  visit: (document: number, row: number, weight: number) => void,
): void {
  let document = 0;
  for (const { rows, weights } of readWeightedLogs(logs)) {
    if (document % 1024 === 0) signal?.throwIfAborted();
    const seed = Math.imul(document + 1, 0x9e37_79b1);
    if (inverseLengths[document] !== 0) {
      for (let i = 0; i < rows.length; i += 1) {
        const row = rows[i]!;
        let hash = Math.imul(seed ^ row, 0x85eb_ca6b);
        hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2_ae35);
        if ((hash ^ (hash >>> 13)) >>> 0 < thresholds[row]!) visit(document, row, weights[i]!);
      }
    }
    document += 1;
  }
}
