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
  /** A document after another: its language's number, number of features, the features, how often each occurs. */
  readonly log: Uint32Array;
  /** Every feature of these documents once, in the order of first sight, and in how many of them it occurs. */
  readonly features: Uint32Array;
  readonly documents: Uint32Array;
}

/** Numbers a term, by its number: 1 + the place of its own feature, 1 + that of its prefix, the feature as what stands in a row. */
const TERM = { width: 4, own: 1, prefix: 2, sequence: 3 } as const;
/** What stands first: whether the term is known in this chunk, and whether it has features. */
const SILENT = 1;
const SPEAKING = 2;
/** Numbers a feature: itself, documents that hold it, the last of them from 1 on, its place in that one. */
const FEATURE = { width: 4, found: 1, last: 2, place: 3 } as const;

/** Takes the terms of documents, one after another, and counts the features of each. */
export class ChunkFeatures implements TermSink {
  private readonly met = new GrowableIntegers();
  private readonly features = new IntegerList();
  private table = new FeatureTable();
  private readonly log = new IntegerList();
  private readonly document = { number: 1, features: new IntegerList(), counts: new IntegerList() };
  private previous: Feature = 0;

  /** Says that what follows does not continue what was: a new field. */
  startField(): void {
    this.previous = 0;
  }

  term(number: number, _position: number, terms: NumberedTerms): void {
    const { met } = this;
    const at = number * TERM.width;
    if ((met.get(at) || this.#meet(number, terms)) === SILENT) return;
    this.#count(met.get(at + TERM.own) - 1);
    const prefix = met.get(at + TERM.prefix);
    if (prefix > 0) this.#count(prefix - 1);
    const sequence = met.get(at + TERM.sequence) >>> 0;
    if (sequence === 0) return;
    if (this.previous !== 0) this.#count(this.#placeOf(neighbourFeature(this.previous, sequence)));
    this.previous = sequence;
  }

  /** Ends a document, of the language of a number. */
  endDocument(language: number): void {
    const { document, log } = this;
    log.push(language);
    log.push(document.features.length);
    log.append(document.features.view());
    log.append(document.counts.view());
    document.features.clear();
    document.counts.clear();
    document.number += 1;
    this.previous = 0;
  }

  /** What was added since the last time. */
  take(): FeatureChunk {
    const numbers = this.features.view();
    const features = new Uint32Array(numbers.length / FEATURE.width);
    const documents = new Uint32Array(features.length);
    for (let i = 0; i < features.length; i += 1) {
      features[i] = numbers[i * FEATURE.width]!;
      documents[i] = numbers[i * FEATURE.width + FEATURE.found]!;
    }
    const chunk = { log: this.log.view().slice(), features, documents };
    this.met.clear();
    this.features.clear();
    this.log.clear();
    this.table = new FeatureTable(features.length); // the next chunk will hold about as many
    this.document.number = 1;
    return chunk;
  }

  #count(place: number): void {
    const { document, features } = this;
    const at = place * FEATURE.width;
    if (features.at(at + FEATURE.last) === document.number) {
      document.counts.increment(features.at(at + FEATURE.place));
      return;
    }
    features.increment(at + FEATURE.found);
    features.put(at + FEATURE.last, document.number);
    features.put(at + FEATURE.place, document.features.length);
    document.features.push(features.at(at));
    document.counts.push(1);
  }

  #placeOf(feature: Feature): number {
    const known = this.table.get(feature);
    if (known !== undefined) return known;
    const place = this.features.length / FEATURE.width;
    this.table.set(feature, place);
    this.features.push4(feature, 0, 0, 0);
    return place;
  }

  #meet(number: number, terms: NumberedTerms): number {
    const { text, kind, surface } = terms.at(number);
    const at = number * TERM.width;
    const inside = kind === "affix" && isInside(text);
    const state = kind === "variant" || (kind === "affix" && !inside) ? SILENT : SPEAKING;
    this.met.set(at, state);
    if (state === SILENT) return state;
    const feature = inside ? affixFeature(text) : termFeature(text);
    const prefix = inside ? undefined : prefixFeature(surface);
    this.met.set(at + TERM.own, 1 + this.#placeOf(feature));
    this.met.set(at + TERM.prefix, prefix === undefined ? 0 : 1 + this.#placeOf(prefix));
    this.met.set(at + TERM.sequence, SEQUENCE.has(kind) ? feature : 0);
    return state;
  }
}
