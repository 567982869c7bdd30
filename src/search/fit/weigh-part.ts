import { SEARCH_DEFAULTS } from "../defaults.js";
import { IndexVectors } from "../embed/index-vector.js";
import { append, withFile } from "../numbers/number-file.js";
import type { FeatureChunk } from "./chunk-features.js";
import { type FeatureLogPart, forEachChunk, readDocuments } from "./feature-log.js";
import { type FoundFeatures, KnownFeatures } from "./known-features.js";
import type { SketchedDocuments } from "./topics.js";
import type { WeightedLog } from "./weighted-log.js";

const { sketch: SKETCH } = SEARCH_DEFAULTS.embed.topics;

/** Task: a part of a feature log to weight. */
export interface WeighTask {
  readonly part: FeatureLogPart;
  /** Features of the vocabulary. */
  readonly features: Uint32Array;
  readonly idf: Float32Array;
  /** How to measure the documents, which fitting needs; default: not at all. */
  readonly measure?: Measure;
  /** Output file of the weighted documents. */
  readonly out: string;
}

/** Which documents get a sketch: each so many-th of the corpus. */
export interface Measure {
  /** Documents of the corpus before these. */
  readonly first: number;
  readonly every: number;
}

/** What fitting needs to know of documents' vectors, each the weighted sum of its features' index vectors. */
export interface MeasuredDocuments {
  /** By document: 1 / its length; 0 for one without features. */
  readonly inverseLengths: Float64Array;
  /** By document: the number of its language. */
  readonly languages: Uint16Array;
  /** Some of them. */
  readonly sample: SketchedDocuments;
}

/** Documents as vocabulary rows and weights. */
export interface WeighedPart {
  readonly log: WeightedLog;
  /** Empty unless they were to be measured. */
  readonly measured: MeasuredDocuments;
}

/** Looks up the features of documents in a vocabulary, and weights them by count and rarity. */
export async function weighPart({ part, features, idf, measure, out }: WeighTask): Promise<WeighedPart> {
  const measuring = measure && {
    ...measure,
    index: await IndexVectors.create(Math.max(0, ...part.chunks.map((chunk) => chunk.features))),
  };
  const weigher = new Weigher({ features, idf }, part.documents, measuring);
  let length = 0;
  await withFile(out, "w", (descriptor) =>
    forEachChunk(part, (chunk) => {
      const words = weigher.weigh(chunk);
      append(descriptor, words);
      length += words.length;
    }),
  );
  return { log: { path: out, length, documents: part.documents }, measured: weigher.measured };
}

/** Weighs the documents of consecutive chunks. */
export class Weigher {
  private readonly inverseLengths: Float64Array;
  private readonly languages: Uint16Array;
  private readonly sketches: Float32Array;
  private readonly sketched: number[] = [];
  private document = 0;

  /** @param measuring measures documents; its index has room for the features of a chunk */
  constructor(
    private readonly vocabulary: { readonly features: Uint32Array; readonly idf: Float32Array },
    documents: number,
    private readonly measuring: (Measure & { readonly index: IndexVectors }) | undefined,
  ) {
    const measured = measuring === undefined ? 0 : documents;
    this.inverseLengths = new Float64Array(measured);
    this.languages = new Uint16Array(measured);
    this.sketches = new Float32Array(Math.ceil(measured / (measuring?.every ?? 1)) * SKETCH);
  }

  /** Of the documents so far; empty if none are measured. */
  get measured(): MeasuredDocuments {
    const { inverseLengths, languages, sketched } = this;
    const sketches = this.sketches.slice(0, sketched.length * SKETCH);
    return { inverseLengths, languages, sample: { languages: Uint16Array.from(sketched), sketches } };
  }

  /** Returns the documents of a chunk as {@link WeightedLog} holds them. */
  weigh(chunk: FeatureChunk): Uint32Array {
    const known = new KnownFeatures(chunk.features, this.vocabulary);
    this.measuring?.index.list(chunk.features);
    const words = new Uint32Array(chunk.log.length);
    const weights = new Float32Array(words.buffer);
    let used = 0;
    for (const logged of readDocuments(chunk)) {
      const found = known.find(logged);
      words[used] = found.rows.length;
      words.set(found.rows, used + 1);
      weights.set(found.weights, used + 1 + found.rows.length);
      used += 1 + found.rows.length * 2;
      this.measure(found, logged.language);
    }
    return words.subarray(0, used);
  }

  private measure({ places, weights }: FoundFeatures, language: number): void {
    if (this.measuring === undefined) return;
    const { index, first, every } = this.measuring;
    const document = this.document++;
    index.sum(places, weights);
    const { length } = index.measure();
    const inverse = length === 0 ? 0 : 1 / length;
    this.inverseLengths[document] = inverse;
    this.languages[document] = language;
    if (length === 0 || (first + document) % every !== 0) return;
    const at = this.sketched.push(language) - 1;
    for (let k = 0; k < SKETCH; k += 1) this.sketches[at * SKETCH + k] = index.vector[k]! * inverse;
  }
}
