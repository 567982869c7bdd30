import { documentText } from "../analysis/fields.js";
import { primaryLanguage } from "../analysis/stemming.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { IndexDocument } from "../document.js";
import { hashOf } from "../vector/recall/recall-sample.js";
import { squareRootShares } from "./square-root-shares.js";

const { queries, seed } = SEARCH_DEFAULTS.certificate;
/** Characters of a text that a query is taken from, at most. */
const CHARACTERS = 4_000;
/** Most characters per space of a script that spaces words. */
const SPACED = 16;
const WORDS = { least: 2, different: 12 };
const LETTERS = { least: 4, different: 16 };

interface Kept {
  readonly hash: number;
  readonly row: number;
  readonly text: string;
}

/**
 * Makes queries as people type them from the texts of a segment: some words in a row, or some letters where a script does not
 * space words. Questions come in every language, however few the records in it, so languages share the sample by the square roots
 * of their records. Of each it has the rows whose hashes are smallest, so the sample is the same however the rows come.
 */
export class QuerySample {
  private readonly languages = new Map<string, LanguageSample>();

  /** Offers the document of a row. */
  offer(row: number, document: IndexDocument): void {
    const name = primaryLanguage(document.lang);
    let language = this.languages.get(name);
    if (language === undefined) {
      language = new LanguageSample();
      this.languages.set(name, language);
    }
    language.offer(row, document);
  }

  /** The queries, in row order. */
  texts(): string[] {
    const sorted = [...this.languages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, language]) => language);
    const groups = sorted.map((language) => ({ count: language.count, most: language.size }));
    const shares = squareRootShares(groups, queries);
    return sorted
      .flatMap((language, i) => language.first(shares[i]!))
      .sort((a, b) => a.row - b.row)
      .map(({ text }) => text);
  }
}

/** What the sample can have of a language. */
class LanguageSample {
  /** Records in it. */
  count = 0;
  private kept: Kept[] = [];
  private largest = Number.POSITIVE_INFINITY;

  offer(row: number, document: IndexDocument): void {
    const hash = hashOf(row, seed + 2);
    this.count += 1;
    if (hash >= this.largest) return;
    const text = piece(documentText(document).slice(0, CHARACTERS), row);
    if (text === "") return;
    this.kept.push({ hash, row, text });
    if (this.kept.length >= 2 * queries) this.cut();
  }

  /** Number of queries that {@link LanguageSample.first} can give. */
  get size(): number {
    this.cut();
    return this.kept.length;
  }

  /** Those of the smallest hashes. */
  first(count: number): readonly Kept[] {
    this.cut();
    return this.kept.slice(0, count);
  }

  private cut(): void {
    this.kept = this.kept.sort((a, b) => a.hash - b.hash || a.row - b.row).slice(0, queries);
    if (this.kept.length === queries) this.largest = this.kept.at(-1)!.hash;
  }
}

function piece(text: string, row: number): string {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const spaced = text.length <= words.length * SPACED;
  const units = spaced ? words : Array.from(text);
  const { least, different } = spaced ? WORDS : LETTERS;
  const length = Math.min(units.length, least + (hashOf(row, seed + 3) % different));
  const start = hashOf(row, seed + 4) % (units.length - length + 1);
  return units
    .slice(start, start + length)
    .join(spaced ? " " : "")
    .trim();
}
