import { documentText } from "../analysis/fields.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { IndexDocument } from "../document.js";
import { hashOf } from "../vector/recall/recall-sample.js";

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
 * space words. Keeps those of the rows whose hashes are smallest, so the sample is the same however the rows come.
 */
export class QuerySample {
  private kept: Kept[] = [];
  private largest = Number.POSITIVE_INFINITY;

  /** Offers the document of a row. */
  offer(row: number, document: IndexDocument): void {
    const hash = hashOf(row, seed + 2);
    if (hash >= this.largest) return;
    const text = piece(documentText(document).slice(0, CHARACTERS), row);
    if (text === "") return;
    this.kept.push({ hash, row, text });
    if (this.kept.length >= 2 * queries) this.cut();
  }

  /** The queries, in row order. */
  texts(): string[] {
    this.cut();
    return this.kept.toSorted((a, b) => a.row - b.row).map(({ text }) => text);
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
