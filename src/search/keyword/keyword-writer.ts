import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { TermKind, TermSink } from "../analysis/terms.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { USUAL_FREQUENCY } from "./format.js";
import { GrowableIntegers } from "./growable.js";
import { writeKeywordFiles } from "./invert.js";
import type { KeywordManifest } from "./keyword-manifest.js";
import { TermLog } from "./term-log.js";
import { varintLength } from "./varint.js";

const LOG_FILE = "terms.log";

/** Half words that a term of each kind counts as. */
const UNITS: Readonly<Record<TermKind, number>> = {
  word: 2,
  pair: 2,
  emoji: 2,
  variant: 2,
  compound: 2,
  part: 2,
  affix: 2,
  character: 1,
  syllable: 1,
};
/** Kinds that make a document longer; the others say again what these say. */
const COUNTED: ReadonlySet<TermKind> = new Set(["word", "syllable", "character", "pair", "emoji"]);
/** Kinds that have a place in a phrase. */
const PLACED = COUNTED;

/** Sizes of what inverting the log will write, a term. */
export interface TermSizes {
  readonly documents: GrowableIntegers;
  readonly postingBytes: GrowableIntegers;
  readonly positionBytes: GrowableIntegers;
}

/** Builds the keyword index of a segment: takes the terms of its documents, row after row, then inverts them. */
export class KeywordWriter implements TermSink {
  private readonly log: TermLog;
  private readonly terms = new Map<string, number>();
  private readonly sizes: TermSizes = {
    documents: new GrowableIntegers(),
    postingBytes: new GrowableIntegers(),
    positionBytes: new GrowableIntegers(),
  };
  private readonly lastRow = new GrowableIntegers();
  private readonly slotOf = new GrowableIntegers();
  private readonly lengths: number[] = [];
  private readonly rowLanguages: number[] = [];
  private readonly languages = new Map<string, { number: number; documents: number; length: number }>();
  private weight = 1;
  private length = 0;
  private found: { terms: number[]; frequencies: number[]; positions: number[][] } = emptyDocument();

  /** Works in a folder that exists. `memory`: bytes of postings and positions that are put together at a time. */
  constructor(
    private readonly dir: string,
    private readonly memory: number = SEARCH_DEFAULTS.keyword.invertMemory,
  ) {
    this.log = new TermLog(join(dir, LOG_FILE));
  }

  /** Says how much the terms that follow count (a whole number): the weight of their field. */
  setWeight(weight: number): void {
    this.weight = weight;
  }

  term(term: string, kind: TermKind, position: number): void {
    let number = this.terms.get(term);
    if (number === undefined) {
      number = this.terms.size;
      this.terms.set(term, number);
    }
    const units = UNITS[kind] * this.weight;
    if (COUNTED.has(kind)) this.length += units;
    const { terms, frequencies, positions } = this.found;
    let slot = this.slotOf.get(number);
    if (slot >= terms.length || terms[slot] !== number) {
      slot = terms.length;
      this.slotOf.set(number, slot);
      terms.push(number);
      frequencies.push(0);
      positions.push([]);
    }
    frequencies[slot]! += units;
    if (PLACED.has(kind)) positions[slot]!.push(position);
  }

  /** Ends the document of the next row, in a language (primary subtag). */
  endDocument(language: string): void {
    const row = this.lengths.length;
    const { terms, frequencies, positions } = this.found;
    for (let i = 0; i < terms.length; i += 1) {
      const term = terms[i]!;
      const distance = row - (this.lastRow.get(term) - 1) - 1;
      this.lastRow.set(term, row + 1);
      const frequency = frequencies[i]!;
      this.sizes.documents.add(term, 1);
      this.sizes.postingBytes.add(
        term,
        varintLength(distance * 2 + 1) + (frequency === USUAL_FREQUENCY ? 0 : varintLength(frequency)),
      );
      let previous = 0;
      let bytes = varintLength(positions[i]!.length);
      for (const position of positions[i]!) {
        bytes += varintLength(position - previous);
        previous = position;
      }
      this.sizes.positionBytes.add(term, bytes);
    }
    this.log.append(this.found);
    let entry = this.languages.get(language);
    if (entry === undefined) {
      entry = { number: this.languages.size, documents: 0, length: 0 };
      this.languages.set(language, entry);
    }
    entry.documents += 1;
    entry.length += this.length;
    this.rowLanguages.push(entry.number);
    this.lengths.push(this.length);
    this.length = 0;
    this.found = emptyDocument();
  }

  /** Writes the index and removes what it worked with. */
  async finish(): Promise<KeywordManifest> {
    try {
      return await writeKeywordFiles(this.dir, {
        log: this.log,
        terms: this.terms,
        sizes: this.sizes,
        lengths: Uint32Array.from(this.lengths),
        rowLanguages: Uint16Array.from(this.rowLanguages),
        languages: [...this.languages].map(([language, { documents, length }]) => ({
          language,
          documents,
          length,
        })),
        memory: this.memory,
      });
    } finally {
      await this.close();
    }
  }

  /** Gives up: removes what it worked with. */
  async close(): Promise<void> {
    this.log.close();
    await rm(join(this.dir, LOG_FILE), { force: true });
  }
}

function emptyDocument() {
  return { terms: [] as number[], frequencies: [] as number[], positions: [] as number[][] };
}
