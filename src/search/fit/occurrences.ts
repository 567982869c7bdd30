import { closeSync, openSync } from "node:fs";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { readNumbers, writeNumberFile } from "../numbers/number-file.js";
import { readWeightedLogs, type WeightedDocument, type WeightedLog } from "./weighted-log.js";

const WHOLE = 2 ** 32;

/** Task: features whose occurrences to collect. */
export interface OccurrencesTask {
  readonly logs: readonly WeightedLog[];
  /** Row of the first feature, and the document counts of the features. */
  readonly first: number;
  readonly found: Uint32Array;
  /** By document: the scale of its bytes; 0 for one without a vector, which is skipped. */
  readonly scales: Float32Array;
  readonly files: OccurrencesFiles;
}

/** Files of little-endian numbers, read sequentially since they are large. */
export interface OccurrencesFiles {
  /** Documents of each feature's vector, in feature order: 32-bit integers. */
  readonly documents: string;
  /** Weight of each document's bytes: 32-bit floats. */
  readonly weights: string;
}

/** The occurrences of feature i are from `starts[i]` to before `starts[i + 1]`. */
export interface Occurrences extends OccurrencesFiles {
  readonly starts: Uint32Array;
}

/** Inverts documents to occurrences by feature, in files; see {@link invertOccurrences}. */
export async function collectOccurrences(task: OccurrencesTask): Promise<Occurrences> {
  const { starts, documents, weights } = invertOccurrences({
    ...task,
    documents: () => readWeightedLogs(task.logs),
  });
  writeNumberFile(task.files.documents, documents);
  writeNumberFile(task.files.weights, weights);
  return { ...task.files, starts };
}

/** Documents to invert, which can be read repeatedly. */
export interface OccurrencesInput extends Pick<OccurrencesTask, "first" | "found" | "scales"> {
  readonly documents: () => Iterable<WeightedDocument>;
}

/** Occurrences in memory: those of feature i are from `starts[i]` to before `starts[i + 1]`. */
export interface OccurrenceLists {
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  readonly weights: Float32Array;
}

/**
 * Inverts documents to occurrences by feature. Frequent features use a sample of their documents: some thousand
 * documents suffice, and the least meaningful words would take most of the time.
 */
export function invertOccurrences(input: OccurrencesInput): OccurrenceLists {
  const { found, scales } = input;
  const sample = SEARCH_DEFAULTS.embed.sample;
  const thresholds = Float64Array.from(found, (count) =>
    count <= sample ? WHOLE : (WHOLE * sample) / count,
  );
  const starts = new Uint32Array(found.length + 1);
  forEachSampled(input, thresholds, (_, feature) => {
    starts[feature + 1]! += 1;
  });
  for (let i = 0; i < found.length; i += 1) starts[i + 1]! += starts[i]!;
  const next = Uint32Array.from(starts);
  const documents = new Uint32Array(starts.at(-1)!);
  const weights = new Float32Array(documents.length);
  forEachSampled(input, thresholds, (document, feature, weight) => {
    const at = next[feature]!;
    documents[at] = document;
    weights[at] = weight * scales[document]!;
    next[feature] = at + 1;
  });
  return { starts, documents, weights };
}

/** Number of features that the occurrences are of. */
export function featuresIn(occurrences: readonly Occurrences[]): number {
  return occurrences.reduce((sum, { starts }) => sum + starts.length - 1, 0);
}

/** Largest number of occurrences of a feature. */
export function longest({ starts }: Occurrences): number {
  let most = 0;
  for (let i = 1; i < starts.length; i += 1) most = Math.max(most, starts[i]! - starts[i - 1]!);
  return most;
}

/**
 * Calls `use` with the occurrences of each feature, in order, and reuses the arrays. Reads this many features
 * at a time.
 */
export function forEachFeature(
  { documents, weights, starts }: Occurrences,
  features: number,
  use: (documents: Uint32Array, weights: Float32Array) => void,
): void {
  const descriptors: number[] = [];
  let held = { documents: new Uint32Array(0), weights: new Float32Array(0) };
  try {
    for (const path of [documents, weights]) descriptors.push(openSync(path, "r"));
    for (let first = 0; first + 1 < starts.length; first += features) {
      const end = Math.min(starts.length - 1, first + features);
      const from = starts[first]!;
      const count = starts[end]! - from;
      if (count > held.documents.length)
        held = { documents: new Uint32Array(count), weights: new Float32Array(count) };
      readNumbers(descriptors[0]!, from * 4, held.documents.subarray(0, count));
      readNumbers(descriptors[1]!, from * 4, held.weights.subarray(0, count));
      for (let i = first; i < end; i += 1) {
        const [start, stop] = [starts[i]! - from, starts[i + 1]! - from];
        use(held.documents.subarray(start, stop), held.weights.subarray(start, stop));
      }
    }
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

function forEachSampled(
  { documents, scales, first, found }: OccurrencesInput,
  thresholds: Float64Array,
  use: (document: number, feature: number, weight: number) => void,
): void {
  const end = first + found.length;
  let document = 0;
  for (const { rows, weights } of documents()) {
    const seed = Math.imul(document + 1, 0x9e37_79b1);
    if (scales[document] !== 0) {
      for (let i = placeOf(first, rows); i < rows.length && rows[i]! < end; i += 1) {
        const row = rows[i]!;
        let hash = Math.imul(seed ^ row, 0x85eb_ca6b);
        hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2_ae35);
        if ((hash ^ (hash >>> 13)) >>> 0 < thresholds[row - first]!) use(document, row - first, weights[i]!);
      }
    }
    document += 1;
  }
}

/** Index of the first of ascending numbers that is at least a given one. */
function placeOf(number: number, among: Uint32Array): number {
  let low = 0;
  let high = among.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (among[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
