import { SEARCH_DEFAULTS } from "../defaults.js";
import { IndexVectors } from "../embed/index-vector.js";
import { type Topics, topicOf } from "./topics.js";
import type { MeasuredDocuments } from "./weigh-part.js";
import { readWeightedLog, type WeightedDocument, type WeightedLog } from "./weighted-log.js";

const { dimensions } = SEARCH_DEFAULTS;
const { languagePrior } = SEARCH_DEFAULTS;
const { prior } = SEARCH_DEFAULTS.embed.topics;
/** Parts of 1 that numbers are rounded to: the sum of 2²⁴ of them, of at most 1 each, is exact, and so the same in any order. */
const WHOLE = 2 ** 28;

/** Documents whose topics to find. */
export interface TopicsInput {
  readonly documents: () => Iterable<WeightedDocument>;
  readonly measured: Pick<MeasuredDocuments, "inverseLengths" | "languages">;
}

/** Task: logs of documents whose topics to find. */
export interface TopicsTask {
  readonly parts: readonly (Pick<TopicsInput, "measured"> & { readonly log: WeightedLog })[];
  readonly features: Uint32Array;
  readonly topics: Topics;
}

/** The topics of documents, and what is in each. */
export interface TopicSums {
  /** By part, and document. */
  readonly topics: readonly Uint16Array[];
  /** By topic that any of them has: its documents, and the sum of their vectors at unit length, in {@link WHOLE}ths. */
  readonly sums: ReadonlyMap<number, { readonly documents: number; readonly sum: Float64Array }>;
}

/** Finds the topics of the documents of logs, and sums their vectors by topic. */
export function sumTopics({ parts, features, topics }: TopicsTask): Promise<TopicSums> {
  return sumTopicsOf(
    parts.map(({ log, measured }) => ({ documents: () => readWeightedLog(log), measured })),
    features,
    topics,
  );
}

/** As {@link sumTopics}, of documents. */
export async function sumTopicsOf(
  parts: readonly TopicsInput[],
  features: Uint32Array,
  topics: Topics,
): Promise<TopicSums> {
  const index = await IndexVectors.create(features.length);
  index.list(features);
  const { vector } = index;
  const sums = new Map<number, { documents: number; sum: Float64Array }>();
  const found = parts.map(({ documents, measured: { inverseLengths, languages } }) => {
    const numbers = new Uint16Array(languages.length);
    let document = -1;
    for (const { rows, weights } of documents()) {
      document += 1;
      const inverse = inverseLengths[document]!;
      if (inverse === 0) continue;
      index.sum(rows, weights);
      const topic = topicOf(topics, languages[document]!, vector, inverse);
      numbers[document] = topic;
      let of = sums.get(topic);
      if (of === undefined) {
        of = { documents: 0, sum: new Float64Array(dimensions) };
        sums.set(topic, of);
      }
      of.documents += 1;
      const { sum } = of;
      const factor = inverse * WHOLE;
      for (let k = 0; k < dimensions; k += 1) sum[k]! += Math.round(vector[k]! * factor);
    }
    return numbers;
  });
  return { topics: found, sums };
}

/**
 * The mean of the documents' vectors in each topic, smoothed towards that in its language, and this one towards that of all, as if
 * some of their documents were in it: 1536 numbers a topic.
 */
export function meansOfTopics({ starts }: Topics, parts: readonly TopicSums[]): Float32Array {
  const count = starts.at(-1)!;
  const topics = Array.from({ length: count }, () => new Mean());
  for (const { sums } of parts)
    for (const [topic, { documents, sum }] of sums) topics[topic]!.add(sum, documents);
  const all = new Mean();
  for (const { sum, documents } of topics) all.add(sum, documents);
  const overall = all.towards(undefined, 0);
  const means = new Float32Array(count * dimensions);
  for (let language = 0; language + 1 < starts.length; language += 1) {
    const own = topics.slice(starts[language], starts[language + 1]);
    const together = new Mean();
    for (const { sum, documents } of own) together.add(sum, documents);
    const mean = together.towards(overall, languagePrior);
    own.forEach((topic, i) => {
      means.set(topic.towards(mean, prior), (starts[language]! + i) * dimensions);
    });
  }
  return means;
}

/** A mean in the making. */
class Mean {
  documents = 0;
  readonly sum = new Float64Array(dimensions);

  add(sum: Float64Array, documents: number): void {
    this.documents += documents;
    for (let k = 0; k < dimensions; k += 1) this.sum[k]! += sum[k]!;
  }

  /** The mean, as if `count` more documents were as another mean. */
  towards(other: Float64Array | undefined, count: number): Float64Array {
    const documents = Math.max(1, this.documents + count);
    return this.sum.map((sum, k) => (sum / WHOLE + count * (other?.[k] ?? 0)) / documents);
  }
}
