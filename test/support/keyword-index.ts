import type { Term, TermKind } from "../../src/search/analysis/term.js";
import { ChunkPostings } from "../../src/search/keyword/chunk-postings.js";
import { KeywordWriter } from "../../src/search/keyword/keyword-writer.js";

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
}

/** Writes the keyword index of documents into a folder that exists. */
export async function writeKeywordIndex(
  dir: string,
  documents: readonly TermDocument[],
  { memory, chunk = Math.max(1, documents.length) }: KeywordIndexOptions = {},
): Promise<void> {
  const writer = new KeywordWriter(dir, memory);
  const postings = new ChunkPostings();
  const known = new Map<string, Term>();
  const termOf = (text: string, kind: TermKind): Term => {
    const key = `${kind} ${text}`;
    const term = known.get(key) ?? { number: known.size, text, kind, surface: "" };
    known.set(key, term);
    return term;
  };
  for (let first = 0; first < documents.length; first += chunk) {
    const part = documents.slice(first, first + chunk);
    for (const { terms } of part) {
      for (const { text, kind, position } of terms) postings.term(termOf(text, kind), position);
      postings.endDocument();
    }
    writer.add(
      postings.take(),
      part.map(({ language }) => language),
    );
  }
  await writer.finish();
}
