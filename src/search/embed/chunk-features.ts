import type { NumberedTerms, TermKind, TermSink } from "../analysis/term.js";
import { isInside } from "../analysis/terms.js";
import { GrowableIntegers } from "../growable-integers.js";
import { IntegerList } from "../integer-list.js";
import { FeatureTable } from "./feature-table.js";
import { affixFeature, type Feature, neighbourFeature, prefixFeature, termFeature } from "./features.js";

/** Kinds that follow one another as words do. */
const SEQUENCE: ReadonlySet<TermKind> = new Set(["word", "pair"]);

/** The features of some documents that follow one another. */
export interface FeatureChunk {
  /** Every feature of these documents once, ascending, and in how many of them it occurs. */
  readonly features: Uint32Array;
  readonly found: Uint32Array;
  /** A document after another: its language's number, number of features, their places in `features`, ascending, how often each occurs. */
  readonly log: Uint32Array;
}

/** Numbers a term, by its number: what is known of it, its own feature and that of its prefix, 0 where it has none. */
const TERM = { width: 3, own: 1, prefix: 2 } as const;
/** What is known of a term, 0 where nothing is yet: it has no features; it has; it has, and stands in a row with others. */
const SILENT = 1;
const SPEAKING = 2;
const IN_SEQUENCE = 3;

/** Takes the terms of documents, one after another, and counts the features of each. */
export class ChunkFeatures implements TermSink {
  private readonly met = new GrowableIntegers();
  private table = new FeatureTable();
  /** As a chunk's, but features are numbered in the order of first sight. */
  private readonly log = new IntegerList();
  /** The features of a document, one for each time that it occurs, and how often each does. */
  private readonly document = new IntegerList();
  private readonly counts = new IntegerList();
  private previous: Feature = 0;

  /** Says that what follows does not continue what was: a new field. */
  startField(): void {
    this.previous = 0;
  }

  term(number: number, _position: number, terms: NumberedTerms): void {
    const { met, document } = this;
    const at = number * TERM.width;
    const state = met.get(at) || this.#meet(number, terms);
    if (state === SILENT) return;
    const own = met.get(at + TERM.own) >>> 0;
    const prefix = met.get(at + TERM.prefix) >>> 0;
    document.push(own);
    if (prefix !== 0) document.push(prefix);
    if (state !== IN_SEQUENCE) return;
    if (this.previous !== 0) document.push(neighbourFeature(this.previous, own));
    this.previous = own;
  }

  /** Ends a document, of the language of a number. */
  endDocument(language: number): void {
    const { log, counts, table } = this;
    const features = this.document.view().sort();
    log.push(language);
    const size = log.length;
    log.push(0);
    for (let at = 0; at < features.length; ) {
      const feature = features[at]!;
      const first = at;
      while (features[at] === feature) at += 1;
      log.push(table.numberOf(feature));
      counts.push(at - first);
    }
    log.put(size, counts.length);
    log.append(counts.view());
    this.document.clear();
    counts.clear();
    this.previous = 0;
  }

  /** What was added since the last time. */
  take(): FeatureChunk {
    const { table } = this;
    const features = new Uint32Array(table.size);
    table.forEach((feature, number) => {
      features[number] = feature;
    });
    features.sort();
    const placeOf = new Uint32Array(features.length);
    features.forEach((feature, place) => {
      placeOf[table.get(feature)!] = place;
    });
    const found = new Uint32Array(features.length);
    const log = this.log.view().slice();
    for (let at = 0; at < log.length; ) {
      const first = at + 2;
      const end = first + log[at + 1]!;
      for (let i = first; i < end; i += 1) {
        const place = placeOf[log[i]!]!;
        log[i] = place;
        found[place]! += 1;
      }
      at = end + log[at + 1]!;
    }
    this.met.clear();
    this.log.clear();
    this.table = new FeatureTable(features.length); // the next chunk will hold about as many
    return { features, found, log };
  }

  #meet(number: number, terms: NumberedTerms): number {
    const { text, kind, surface } = terms.at(number);
    const at = number * TERM.width;
    const inside = kind === "affix" && isInside(text);
    const silent = kind === "variant" || (kind === "affix" && !inside);
    const state = silent ? SILENT : SEQUENCE.has(kind) ? IN_SEQUENCE : SPEAKING;
    this.met.set(at, state);
    if (silent) return state;
    this.met.set(at + TERM.own, inside ? affixFeature(text) : termFeature(text));
    this.met.set(at + TERM.prefix, inside ? 0 : (prefixFeature(surface) ?? 0));
    return state;
  }
}
