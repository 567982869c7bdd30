import type { NumberedTerms, Term, TermKind } from "../../src/search/analysis/term.js";
import { KeywordWriter } from "../../src/search/keyword/keyword-writer.js";
import { ChunkPostings } from "../../src/search/keyword/postings/chunk-postings.js";

/** A document as its terms. */
export interface TermDocument {
  readonly terms: Iterable<{ readonly text: string; readonly kind: TermKind; readonly position: number }>;
  readonly language: string;
}

/** Options of {@link writeKeywordIndex}. */
export interface KeywordIndexOptions {
  /** Bytes of postings and positions that are put together at a time. */
  readonly memory?: number;
  /** Documents inverted at a time; all by default. */
  readonly chunk?: number;
  readonly signal?: AbortSignal;
}

/** Writes the keyword index of documents into a folder that exists. */
export async function writeKeywordIndex(
  dir: string,
  documents: readonly TermDocument[],
  { memory, chunk = Math.max(1, documents.length), signal }: KeywordIndexOptions = {},
): Promise<void> {
  const writer = new KeywordWriter(dir, memory);
  const postings = new ChunkPostings();
  const numbers = new Map<string, number>();
  const known: Term[] = [];
  const named: NumberedTerms = { at: (number) => known[number]! };
  const numberOf = (text: string, kind: TermKind): number => {
    const key = `${kind} ${text}`;
    let number = numbers.get(key);
    if (number === undefined) {
      const same = known.find((term) => term.text === text);
      number = known.push({ text, kind, surface: "", key: same?.key ?? known.length }) - 1;
      numbers.set(key, number);
    }
    return number;
  };
  for (let first = 0; first < documents.length; first += chunk) {
    const part = documents.slice(first, first + chunk);
    for (const { terms } of part) {
      for (const { text, kind, position } of terms) postings.term(numberOf(text, kind), position, named);
      postings.endDocument();
    }
    writer.add(
      postings.take(),
      part.map(({ language }) => language),
    );
  }
  await writer.finish(signal);
}
