import { rowsOf, Vocabulary } from "../embed/vocabulary.js";
import { type FeatureLogPart, forEachChunk } from "./feature-log.js";

/** A vocabulary of some of a model's features. */
export interface VocabularyPart {
  /** Its vectors are numbered from 0 on. */
  readonly vocabulary: Vocabulary;
  /** By this number: which vector of the model's table it is; ascending. */
  readonly stored: Uint32Array;
}

/** The part of a vocabulary that the documents of logs have: so few vectors are read sooner than all. */
export async function partOfVocabulary(
  whole: Vocabulary,
  logs: readonly FeatureLogPart[],
): Promise<VocabularyPart> {
  const had = new Uint8Array(whole.size);
  for (const log of logs)
    await forEachChunk(log, ({ features }) => {
      for (const row of rowsOf(features, whole.features)) if (row >= 0) had[row] = 1;
    });
  const rows: number[] = [];
  for (let row = 0; row < had.length; row += 1) if (had[row] === 1) rows.push(row);
  const stored = Uint32Array.from(new Set(rows.map((row) => whole.vectors[row]!))).sort();
  const numbers = new Map(Array.from(stored, (vector, number) => [vector, number]));
  const column = <T extends Uint32Array | Float32Array>(values: T, own: T): T => {
    rows.forEach((row, i) => {
      own[i] = values[row]!;
    });
    return own;
  };
  const vocabulary = new Vocabulary(
    column(whole.features, new Uint32Array(rows.length)),
    column(whole.documents, new Uint32Array(rows.length)),
    column(whole.idf, new Float32Array(rows.length)),
    column(whole.scales, new Float32Array(rows.length)),
    Uint32Array.from(rows, (row) => numbers.get(whole.vectors[row]!)!),
  );
  return { vocabulary, stored };
}
