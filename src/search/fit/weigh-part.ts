import { SEARCH_DEFAULTS } from "../defaults.js";
import { IndexVectors } from "../embed/index-vector.js";
import { append, withFile } from "../numbers/number-file.js";
import type { FeatureChunk } from "./chunk-features.js";
import { type FeatureLogPart, forEachChunk, readDocuments } from "./feature-log.js";
import { KnownFeatures } from "./known-features.js";
import type { WeightedLog } from "./weighted-log.js";

const { dimensions } = SEARCH_DEFAULTS;

/** Task: a part of a feature log to weight. */
export interface WeighTask {
  readonly part: FeatureLogPart;
  /** Features of the vocabulary. */
  readonly features: Uint32Array;
  readonly idf: Float32Array;
  /** Whether to sum the documents' vectors, which fitting needs. */
  readonly measured: boolean;
  /** Output file of the weighted documents. */
  readonly out: string;
}

/** Lengths of documents' vectors, each the weighted sum of its features' index vectors. */
export interface Lengths {
  /** By document: 1 / its length; 0 for one without features. */
  readonly inverseLengths: Float64Array;
  /** Sum of the vectors at unit length, of each chunk: they are added in one order, whatever part a chunk is in. */
  readonly sums: Float64Array[];
}

/** Documents as vocabulary rows and weights. */
export interface WeighedPart {
  readonly log: WeightedLog;
  /** Empty unless vectors were summed. */
  readonly lengths: Lengths;
}

/** Looks up the features of documents in a vocabulary, and weights them by count and rarity. */
export async function weighPart({ part, features, idf, measured, out }: WeighTask): Promise<WeighedPart> {
  const index = measured
    ? await IndexVectors.create(Math.max(0, ...part.chunks.map((chunk) => chunk.features)))
    : undefined;
  const weigher = new Weigher({ features, idf }, part.documents, index);
  let length = 0;
  await withFile(out, "w", (descriptor) =>
    forEachChunk(part, (chunk) => {
      const words = weigher.weigh(chunk);
      append(descriptor, words);
      length += words.length;
    }),
  );
  return { log: { path: out, length, documents: part.documents }, lengths: weigher.lengths };
}

/** Weighs the documents of consecutive chunks. */
export class Weigher {
  /** Of the documents so far; empty without an index. */
  readonly lengths: Lengths;
  private document = 0;

  /** @param index measures documents; it has room for the features of a chunk */
  constructor(
    private readonly vocabulary: { readonly features: Uint32Array; readonly idf: Float32Array },
    documents: number,
    private readonly index: IndexVectors | undefined,
  ) {
    this.lengths = {
      inverseLengths: new Float64Array(index === undefined ? 0 : documents),
      sums: [],
    };
  }

  /** Returns the documents of a chunk as {@link WeightedLog} holds them. */
  weigh(chunk: FeatureChunk): Uint32Array {
    const { index, lengths } = this;
    const known = new KnownFeatures(chunk.features, this.vocabulary);
    index?.list(chunk.features);
    const sum = new Float64Array(dimensions);
    if (index !== undefined) lengths.sums.push(sum);
    const words = new Uint32Array(chunk.log.length);
    const weights = new Float32Array(words.buffer);
    let used = 0;
    for (const logged of readDocuments(chunk)) {
      const found = known.find(logged);
      words[used] = found.rows.length;
      words.set(found.rows, used + 1);
      weights.set(found.weights, used + 1 + found.rows.length);
      used += 1 + found.rows.length * 2;
      if (index !== undefined) {
        index.sum(found.places, found.weights);
        lengths.inverseLengths[this.document] = addUnit(index, sum);
      }
      this.document += 1;
    }
    return words.subarray(0, used);
  }
}

/** Adds the vector at unit length to a sum. Returns the factor; 0 for a zero vector. */
function addUnit(index: IndexVectors, sum: Float64Array): number {
  const { length } = index.measure();
  if (length === 0) return 0;
  const { vector } = index;
  const inverse = 1 / length;
  for (let k = 0; k < dimensions; k += 1) sum[k]! += vector[k]! * inverse;
  return inverse;
}
