import type { NumberedTerms, TermKind, TermSink } from "../analysis/term.js";
import { isInside } from "../analysis/terms.js";
import {
  affixFeature,
  type Feature,
  neighbourFeature,
  prefixFeature,
  termFeature,
} from "../embed/features.js";
import { GrowableIntegers } from "../numbers/growable-integers.js";
import { IntegerList } from "../numbers/integer-list.js";
import { sortPairs } from "./sort-pairs.js";

/** Kinds whose consecutive terms make neighbour features. */
const SEQUENCE: ReadonlySet<TermKind> = new Set(["word", "pair"]);

/** Kinds without features of their own, but for affixes from inside a word. */
const SILENT_KINDS: ReadonlySet<TermKind> = new Set(["variant", "affix", "joint"]);

/** The features of consecutive documents. */
export interface FeatureChunk {
  /** Distinct features, ascending, and the number of documents of each. */
  readonly features: Uint32Array;
  readonly found: Uint32Array;
  /** Per document: language number, number of features, their indexes in `features`, ascending, and counts. */
  readonly log: Uint32Array;
}

/** Numbers a term, by its number: what is known of it, its own feature and that of its prefix, 0 where it has none. */
const TERM = { width: 3, own: 1, prefix: 2 } as const;
/** What is known of a term, 0 where nothing is yet: it has no features; it has; it has, and stands in a row with others. */
const SILENT = 1;
const SPEAKING = 2;
const IN_SEQUENCE = 3;

/** Counts the features of documents from their terms. */
export class ChunkFeatures implements TermSink {
  private readonly met = new GrowableIntegers();
  /** Pairs of feature and document, one per occurrence. */
  private readonly occurrences = new IntegerList();
  private room = new Uint32Array(0);
  /** By document. */
  private readonly languages = new IntegerList();
  private previous: Feature = 0;

  /** Starts a new field, which no neighbour feature spans. */
  startField(): void {
    this.previous = 0;
  }

  term(number: number, _position: number, terms: NumberedTerms): void {
    const { met, occurrences } = this;
    const at = number * TERM.width;
    const state = met.get(at) || this.meet(number, terms);
    if (state === SILENT) return;
    const document = this.languages.length;
    const own = met.get(at + TERM.own) >>> 0;
    const prefix = met.get(at + TERM.prefix) >>> 0;
    occurrences.push2(own, document);
    if (prefix !== 0) occurrences.push2(prefix, document);
    if (state !== IN_SEQUENCE) return;
    if (this.previous !== 0) occurrences.push2(neighbourFeature(this.previous, own), document);
    this.previous = own;
  }

  /** Ends a document in a language, by number. */
  endDocument(language: number): void {
    this.languages.push(language);
    this.previous = 0;
  }

  /** Returns the features added since the last call, and clears them. */
  take(): FeatureChunk {
    const given = this.occurrences.view();
    if (this.room.length < given.length) this.room = new Uint32Array(given.length);
    const sorted = sortPairs(given, this.room.subarray(0, given.length));
    const chunk = gather(sorted, this.languages.view());
    this.met.clear();
    this.occurrences.clear();
    this.languages.clear();
    return chunk;
  }

  private meet(number: number, terms: NumberedTerms): number {
    const { text, kind, surface } = terms.at(number);
    const at = number * TERM.width;
    const inside = kind === "affix" && isInside(text);
    const silent = SILENT_KINDS.has(kind) && !inside;
    const state = silent ? SILENT : SEQUENCE.has(kind) ? IN_SEQUENCE : SPEAKING;
    this.met.set(at, state);
    if (silent) return state;
    this.met.set(at + TERM.own, inside ? affixFeature(text) : termFeature(text));
    this.met.set(at + TERM.prefix, inside ? 0 : (prefixFeature(surface) ?? 0));
    return state;
  }
}

/** `sorted`: features and the documents that they occur in, both ascending. */
function gather(sorted: Uint32Array, languages: Uint32Array): FeatureChunk {
  const sizes = new Uint32Array(languages.length);
  let different = 0;
  forEachEntry(sorted, (document, _count, isNew) => {
    sizes[document]! += 1;
    if (isNew) different += 1;
  });
  const next = new Uint32Array(languages.length);
  let length = 0;
  languages.forEach((_, document) => {
    next[document] = length + 2;
    length += 2 + sizes[document]! * 2;
  });
  const log = new Uint32Array(length);
  next.forEach((first, document) => {
    log[first - 2] = languages[document]!;
    log[first - 1] = sizes[document]!;
  });
  const features = new Uint32Array(different);
  const found = new Uint32Array(different);
  let place = -1;
  forEachEntry(sorted, (document, count, isNew, feature) => {
    if (isNew) features[++place] = feature;
    found[place]! += 1;
    const at = next[document]!;
    next[document] = at + 1;
    log[at] = place;
    log[at + sizes[document]!] = count;
  });
  return { features, found, log };
}

/**
 * Calls `use` for every feature of every document, ordered by feature, with its count there and whether the
 * feature is a new one.
 */
function forEachEntry(
  sorted: Uint32Array,
  use: (document: number, count: number, isNew: boolean, feature: Feature) => void,
): void {
  let previous = 0;
  for (let at = 0; at < sorted.length; ) {
    const first = at;
    const feature = sorted[at]!;
    const document = sorted[at + 1]!;
    while (at < sorted.length && sorted[at] === feature && sorted[at + 1] === document) at += 2;
    use(document, (at - first) / 2, feature !== previous, feature);
    previous = feature;
  }
}
