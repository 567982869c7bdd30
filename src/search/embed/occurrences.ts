import { closeSync, openSync } from "node:fs";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { readNumbers, writeNumberFile } from "../number-file.js";
import { readWeightedLogs, type WeightedLog } from "./weighted-log.js";

const WHOLE = 2 ** 32;

/** What is to be collected, and where to. */
export interface OccurrencesTask {
  readonly logs: readonly WeightedLog[];
  /** In how many documents each feature was found. */
  readonly found: Uint32Array;
  /** By document, as {@link Geometry} has them. */
  readonly inverseLengths: Float64Array;
  readonly scales: Float32Array;
  readonly files: OccurrencesFiles;
}

/** Files of little-endian numbers. They are large, and read from their beginning to their end: nobody needs to hold them. */
export interface OccurrencesFiles {
  /** The documents that make up each feature's vector, in the order of the features: 32-bit integers. */
  readonly documents: string;
  /** What each one's bytes are multiplied by: 32-bit floats. */
  readonly weights: string;
}

/** The occurrences of a row's feature stand from `starts[row]` to `starts[row + 1]` − 1. */
export interface Occurrences extends OccurrencesFiles {
  readonly starts: Uint32Array;
}

/**
 * Turns documents that hold features into features that occur in documents. A feature of many documents is made of a sample
 * of them: any few thousand say as much as all, and the words that mean least would take most of the time.
 */
export async function collectOccurrences(task: OccurrencesTask): Promise<Occurrences> {
  const { found, scales, files } = task;
  const sample = SEARCH_DEFAULTS.embed.sample;
  const thresholds = Float64Array.from(found, (count) =>
    count <= sample ? WHOLE : (WHOLE * sample) / count,
  );
  const starts = new Uint32Array(found.length + 1);
  forEachSampled(task, thresholds, (_, row) => {
    starts[row + 1]! += 1;
  });
  for (let row = 0; row < found.length; row += 1) starts[row + 1]! += starts[row]!;
  const next = Uint32Array.from(starts);
  const documents = new Uint32Array(starts.at(-1)!);
  const weights = new Float32Array(documents.length);
  forEachSampled(task, thresholds, (document, row, weight) => {
    const at = next[row]!;
    documents[at] = document;
    weights[at] = weight * scales[document]!;
    next[row] = at + 1;
  });
  writeNumberFile(files.documents, documents);
  writeNumberFile(files.weights, weights);
  return { ...files, starts };
}

/** Reads occurrences, some rows at a time. */
export class OccurrencesReader {
  private readonly descriptors: readonly [documents: number, weights: number];
  private documents = new Uint32Array(0);
  private weights = new Float32Array(0);

  constructor(private readonly occurrences: Occurrences) {
    this.descriptors = [openSync(occurrences.documents, "r"), openSync(occurrences.weights, "r")];
  }

  /** Calls `visit` with what each of the rows is made of; the arrays are used again. */
  forEach(first: number, end: number, visit: (documents: Uint32Array, weights: Float32Array) => void): void {
    const { starts } = this.occurrences;
    const from = starts[first]!;
    const count = starts[end]! - from;
    if (count > this.documents.length) {
      this.documents = new Uint32Array(count);
      this.weights = new Float32Array(count);
    }
    readNumbers(this.descriptors[0], from * 4, this.documents.subarray(0, count));
    readNumbers(this.descriptors[1], from * 4, this.weights.subarray(0, count));
    for (let row = first; row < end; row += 1) {
      const [start, stop] = [starts[row]! - from, starts[row + 1]! - from];
      visit(this.documents.subarray(start, stop), this.weights.subarray(start, stop));
    }
  }

  close(): void {
    for (const descriptor of this.descriptors) closeSync(descriptor);
  }
}

function forEachSampled(
  { logs, inverseLengths }: OccurrencesTask,
  thresholds: Float64Array,
  visit: (document: number, row: number, weight: number) => void,
): void {
  let document = 0;
  for (const { rows, weights } of readWeightedLogs(logs)) {
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
