import type { Term, TermKind, TermSink } from "../analysis/term.js";
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

/** What a term adds to a text's features, each as its place among those of the chunk; −1 for none. */
interface TermFeatures {
  /** The term itself; none for a form of a word that says nothing new. */
  readonly own: number;
  readonly prefix: number;
  /** The term's feature where a neighbour may follow it or stand before it, else 0, which is no feature. */
  readonly sequence: Feature;
}

/** Takes the terms of documents, one after another, and counts the features of each. */
export class ChunkFeatures implements TermSink {
  /** By number of a term: 1 + its place in the list of those seen in the chunk. */
  private readonly places = new GrowableIntegers();
  private readonly seen: TermFeatures[] = [];
  private readonly log = new IntegerList();
  private table = new FeatureTable();
  private readonly features = new IntegerList();
  /** By place of a feature: documents that hold it; the last of them, from 1 on; its place in that one. */
  private readonly found = new GrowableIntegers();
  private readonly lastDocument = new GrowableIntegers();
  private readonly placeInDocument = new GrowableIntegers();
  private readonly document = { number: 1, features: new IntegerList(), counts: new IntegerList() };
  private previous: Feature = 0;

  /** Says that what follows does not continue what was: a new field. */
  startField(): void {
    this.previous = 0;
  }

  term(term: Term): void {
    const { own, prefix, sequence } = this.seen[(this.places.get(term.number) || this.#see(term)) - 1]!;
    if (own < 0) return;
    this.#count(own);
    if (prefix >= 0) this.#count(prefix);
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
    const features = this.features.view().slice();
    const documents = features.map((_, place) => this.found.get(place));
    const chunk = { log: this.log.view().slice(), features, documents };
    for (const numbers of [this.places, this.found, this.lastDocument]) numbers.clear();
    for (const list of [this.log, this.features]) list.clear();
    this.seen.length = 0;
    this.table = new FeatureTable();
    this.document.number = 1;
    return chunk;
  }

  #count(place: number): void {
    const { document } = this;
    if (this.lastDocument.get(place) === document.number) {
      document.counts.increment(this.placeInDocument.get(place));
      return;
    }
    this.lastDocument.set(place, document.number);
    this.placeInDocument.set(place, document.features.length);
    this.found.add(place, 1);
    document.features.push(this.features.at(place));
    document.counts.push(1);
  }

  #placeOf(feature: Feature): number {
    const known = this.table.get(feature);
    if (known !== undefined) return known;
    const place = this.features.length;
    this.table.set(feature, place);
    this.features.push(feature);
    return place;
  }

  #see(term: Term): number {
    this.seen.push(this.#featuresOf(term));
    this.places.set(term.number, this.seen.length);
    return this.seen.length;
  }

  #featuresOf({ text, kind, surface }: Term): TermFeatures {
    if (kind === "variant" || (kind === "affix" && !isInside(text)))
      return { own: -1, prefix: -1, sequence: 0 };
    if (kind === "affix") return { own: this.#placeOf(affixFeature(text)), prefix: -1, sequence: 0 };
    const feature = termFeature(text);
    const prefix = prefixFeature(surface);
    return {
      own: this.#placeOf(feature),
      prefix: prefix === undefined ? -1 : this.#placeOf(prefix),
      sequence: SEQUENCE.has(kind) ? feature : 0,
    };
  }
}
