import { MemoryBytes } from "../../files/readable-bytes.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { FeatureTable } from "../embed/feature-table.js";
import { fineFrom } from "../embed/feature-table-writer.js";
import { meanOf } from "../embed/geometry.js";
import { IndexVectors } from "../embed/index-vector.js";
import { modelId, modelManifestOf } from "../embed/model-manifest.js";
import { packVocabulary } from "../embed/packed-vocabulary.js";
import type { Vocabulary } from "../embed/vocabulary.js";
import { collectionSizes, vocabularyOf } from "../fit/choose-vocabulary.js";
import type { FeatureChunk } from "../fit/chunk-features.js";
import { countChunk, noCounts } from "../fit/count-part.js";
import { embedWeighted } from "../fit/embed-logs.js";
import { FeatureCounts } from "../fit/feature-counts.js";
import { FeatureSink } from "../fit/feature-sink.js";
import { GatherTable } from "../fit/gather-table.js";
import { measureInto } from "../fit/measure-part.js";
import { placesByUse } from "../fit/model-places.js";
import { invertOccurrences, type OccurrenceLists } from "../fit/occurrences.js";
import { Weigher } from "../fit/weigh-part.js";
import { type WeightedDocument, weightedDocuments } from "../fit/weighted-log.js";
import { BYTE_VECTOR } from "../vector/byte-vectors.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Features summed, and documents embedded, at a time. */
const BATCH = 64;

/** The default embedder, fitted to documents in memory, and their vectors. */
export interface MemoryModel {
  readonly id: string;
  readonly vocabulary: Vocabulary;
  readonly features: FeatureTable;
  /** By row: the vector as `readByteVector` reads it. */
  readonly vectors: Uint8Array;
}

/**
 * Fits the default embedder to documents and embeds them, as `fitReflective` and `embedLogs` do through files: the same
 * documents in the same order give the same model and vectors, to the last bit.
 * @param chunks the documents' features
 * @param languages number of documents of each language, by language number
 */
export async function fitInMemory(
  chunks: readonly FeatureChunk[],
  languages: readonly number[],
): Promise<MemoryModel> {
  const count = languages.reduce((sum, documents) => sum + documents, 0);
  const vocabulary = chooseFeatures(chunks, languages);
  const longest = Math.max(0, ...chunks.map(({ features }) => features.length));
  const weigher = new Weigher(vocabulary, count, await IndexVectors.create(longest));
  const words = chunks.map((chunk) => weigher.weigh(chunk));
  const documents = () => words.flatMap((part) => [...weightedDocuments(part)]);
  const stored = await fitFeatures(documents, count, vocabulary, weigher);
  const features = FeatureTable.of(new MemoryBytes(stored), vocabulary.vectorCount);
  const manifest = modelManifestOf(
    { documents: count, features: vocabulary.size },
    packVocabulary(vocabulary),
    stored,
  );
  const vectors = new Uint8Array(count * BYTE_VECTOR);
  const entries = Math.max(1, ...documents().map(({ rows }) => rows.length)) * BATCH;
  let at = 0;
  const table = await tableOf(vocabulary, features, entries);
  await embedWeighted(
    { features: vocabulary.features, scales: vocabulary.scales, ...table },
    documents(),
    (batch) => {
      vectors.set(batch, at);
      at += batch.length;
    },
  );
  return { id: modelId(manifest), vocabulary, features, vectors };
}

/** The features' vectors, in a table. */
async function tableOf(
  vocabulary: Vocabulary,
  features: FeatureTable,
  entries: number,
): Promise<{ table: GatherTable; places: Uint32Array }> {
  const places = placesByUse(vocabulary);
  const rows = places.vectors.length;
  const table = await GatherTable.create({ dims: dimensions, rows, lists: BATCH, entries });
  for (let first = 0; first < rows; first += BATCH) {
    const part = places.vectors.subarray(first, first + BATCH);
    table.fill(part, (bytes) => features.read(first, part.length, bytes));
  }
  return { table, places: places.features };
}

function chooseFeatures(chunks: readonly FeatureChunk[], languages: readonly number[]): Vocabulary {
  const counts = new FeatureCounts();
  for (const chunk of chunks) counts.add(chunk);
  const chosen = counts.select();
  const collections = collectionSizes(languages);
  const total = noCounts(chosen.length);
  for (const chunk of chunks) countChunk(chunk, chosen, collections, total);
  return vocabularyOf(chosen, total);
}

/** Returns the vectors of the features as a model stores them. Their scales go into the vocabulary. */
async function fitFeatures(
  documents: () => readonly WeightedDocument[],
  count: number,
  vocabulary: Vocabulary,
  { lengths }: Weigher,
): Promise<Uint8Array> {
  const lists = Math.min(BATCH, Math.max(1, vocabulary.size));
  const entries = lists * Math.max(1, count) + lists;
  const table = await GatherTable.create({ dims: dimensions, rows: count, lists, entries });
  const scales = await measureInto(table, documents(), count, {
    features: vocabulary.features,
    mean: meanOf([{ lengths }]),
    inverseLengths: lengths.inverseLengths,
  });
  const found = invertOccurrences({ documents, first: 0, found: vocabulary.documents, scales });
  const sink = await FeatureSink.create({
    documents: vocabulary.documents,
    fineFrom: fineFrom(vocabulary.documents),
  });
  for (const { rows, weights } of listsOf(found)) {
    if (table.add(rows, weights)) continue;
    sink.write(table.gather());
    table.add(rows, weights);
  }
  sink.write(table.gather());
  const { scales: own, vectors } = sink.fitted();
  vocabulary.scales.set(own);
  vocabulary.vectors.set(vectors);
  return Buffer.concat([sink.table.vectors, sink.table.end()]);
}

function* listsOf({ starts, documents, weights }: OccurrenceLists): Generator<WeightedDocument, void, void> {
  for (let i = 0; i + 1 < starts.length; i += 1) {
    const [from, to] = [starts[i]!, starts[i + 1]!];
    yield { rows: documents.subarray(from, to), weights: weights.subarray(from, to) };
  }
}
