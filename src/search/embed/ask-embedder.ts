import { SearchError } from "../../contract/errors.js";
import { untilAborted } from "../../contract/until-aborted.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { Embedder } from "./embedder.js";

/**
 * The vectors that an embedder makes of documents, one of `dims` finite numbers for each. One that ignores the signal is not waited for.
 * @throws SearchError `embedder_invalid`; what the embedder throws; the signal's reason
 */
export async function documentVectors(
  embedder: Pick<Embedder, "id" | "dims" | "embedDocuments">,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const vectors = await answerOf(async () => embedder.embedDocuments(texts, signal), signal);
  checkDimensions(embedder);
  if (!Array.isArray(vectors)) throw invalid(embedder, "it made no list of vectors");
  if (vectors.length !== texts.length)
    throw invalid(embedder, `it made ${vectors.length} vectors of ${texts.length} texts`);
  for (const vector of vectors) checkVector(embedder, vector);
  return vectors;
}

/**
 * The vector that an embedder makes of a query, `dims` finite numbers, or undefined where it knows no word of it. One that ignores the
 * signal is not waited for.
 * @throws SearchError `embedder_invalid`; what the embedder throws; the signal's reason
 */
export async function vectorOfQuery(
  embedder: Pick<Embedder, "id" | "dims" | "embedQuery">,
  query: string,
  signal?: AbortSignal,
): Promise<Float32Array | undefined> {
  const vector = await answerOf(async () => embedder.embedQuery(query, signal), signal);
  if (vector === undefined) return undefined;
  checkDimensions(embedder);
  checkVector(embedder, vector);
  return Float32Array.from(vector);
}

function answerOf<T>(ask: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return signal === undefined ? ask() : untilAborted(ask(), signal);
}

/** Refuses what would rank at random. */
function checkVector(embedder: Pick<Embedder, "id" | "dims">, vector: unknown): void {
  const isList = Array.isArray(vector) || ArrayBuffer.isView(vector);
  const numbers = isList ? (vector as ArrayLike<unknown>) : [];
  if (numbers.length !== embedder.dims || !Array.prototype.every.call(numbers, Number.isFinite))
    throw invalid(embedder, `it made a vector that is not ${embedder.dims} finite numbers`);
}

/**
 * Refuses a downloaded vector of an embedder's model that has more dimensions than the embedder: both would be compared.
 * @throws SearchError `embedder_differs`
 */
export function checkWidth({ id, dims }: Pick<Embedder, "id" | "dims">, values: Float32Array): void {
  if (values.subarray(dims).every((value) => value === 0)) return;
  throw new SearchError("embedder_differs", `downloaded vectors of ${id} have more than ${dims} dimensions`, {
    value: dims,
    remedy: `give the embedder ${id} that made them, or give yours an id of its own`,
  });
}

/** Refuses an embedder of more dimensions than vectors have. @throws SearchError `embedder_invalid` */
export function checkDimensions(embedder: Pick<Embedder, "id" | "dims">): void {
  const { dimensions } = SEARCH_DEFAULTS;
  if (embedder.dims > dimensions)
    throw invalid(embedder, `it makes vectors of ${embedder.dims} numbers, more than ${dimensions}`);
}

function invalid({ id }: Pick<Embedder, "id">, problem: string): SearchError {
  return new SearchError("embedder_invalid", `the embedder ${id} cannot be used: ${problem}`, {
    value: id,
    remedy: "repair the embedder, or pass another one",
  });
}
