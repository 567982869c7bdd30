import { lettersBeyondAscii } from "./alphabets.js";
import { foldAccents, unifySpelling } from "./fold.js";
import { Joints } from "./joints.js";
import { type LatinReading, latinReadingOf } from "./latin-reading.js";
import { acronymsOf, NO_LANGUAGES, questionLanguages } from "./question-words.js";
import { type PieceSink, scan } from "./scan.js";
import type { Script } from "./scripts.js";
import { simplifiedCharacters } from "./simplified-characters.js";
import { type StemLanguage, type Stemmers, stemLanguage } from "./stemming.js";
import type { TermKind } from "./term.js";
import { affixesOf, pairOfSyllables, stemmedTerms, variantOf } from "./terms.js";
import { newerTone } from "./vietnamese-tones.js";
import { WordForms } from "./word-forms.js";

/**
 * One position of a query: a word in the form of each language of the index. A document matches with any
 * alternative.
 */
export interface QueryTerm {
  readonly alternatives: readonly string[];
  /** Which languages have which alternative; absent where all have each. */
  readonly forms?: WordForms | undefined;
  readonly kind: TermKind;
  /** Whether it is a single Han character that the query writes apart, between spaces: it is a word there. */
  readonly alone?: boolean | undefined;
  readonly position: number;
  /** The word without accents, unstemmed; empty for other pieces than words of spaced scripts. */
  readonly surface: string;
  /** Letters of a Latin word that not all languages write, which tell its language. */
  readonly letters?: readonly string[] | undefined;
  /** Languages in which it is a question word such as *what*, or a part of one; primary subtags. */
  readonly questionIn: readonly string[];
}

/** The terms and phrases of a query. */
export interface QueryTerms {
  readonly terms: readonly QueryTerm[];
  /**
   * Quoted phrases: lists of terms that must occur at their relative positions. Quotation marks around less
   * than half of a query do not make a phrase: they mark a title or a saying in a question.
   */
  readonly phrases: readonly (readonly QueryTerm[])[];
}

/** Letters of scripts that set no spaces around words, or none before particles. */
const UNSPACED =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}]";
/** A straight quotation mark inside a word or behind a number is none: 55" is a length, and Hebrew writes acronyms with it. */
const STRAIGHT = `(?:(?<![\\p{L}\\p{M}\\p{N}])|(?<=${UNSPACED}))"([^"]+)"(?:(?![\\p{L}\\p{M}\\p{N}])|(?=${UNSPACED}))`;
const QUOTED = new RegExp(`${STRAIGHT}|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」|『([^』]+)』`, "gu");
/** Kinds with a position of their own, which make up phrases; characters do where no pair has them. */
const PHRASE_KINDS: ReadonlySet<TermKind> = new Set(["word", "syllable", "pair", "emoji"]);

/**
 * Analyses a query. Its language is unknown, so each word is stemmed in every language of the index
 * (`languages`, primary subtags); missing accents still match.
 */
export function queryTerms(query: string, languages: readonly string[], stemmers: Stemmers): QueryTerms {
  const terms = collect(query, languages, stemmers);
  const phrases = quotedTexts(query)
    .map((text) => collect(text, languages, stemmers))
    .map((quoted) => phraseTerms(quoted))
    .filter((quoted) => quoted.length > 0);
  const quoted = phrases.reduce((sum, phrase) => sum + lengthOf(phrase), 0);
  return { terms, phrases: quoted * 2 >= lengthOf(terms) ? phrases : [] };
}

/** What stands in quotation marks. */
function quotedTexts(query: string): string[] {
  const texts: string[] = [];
  QUOTED.lastIndex = 0;
  for (let match = QUOTED.exec(query); match !== null; match = QUOTED.exec(query))
    texts.push(match.slice(1).find((text) => text !== undefined) ?? "");
  return texts;
}

/** Number of words; of a text without any, of characters. */
function lengthOf(terms: readonly QueryTerm[]): number {
  const words = terms.filter(({ kind }) => PHRASE_KINDS.has(kind)).length;
  return words > 0 ? words : terms.filter(({ kind }) => kind === "character").length;
}

/** Tells whether a character is in a pair of the query. */
function pairsOf(terms: readonly QueryTerm[]): (character: string, position: number) => boolean {
  const pairs = new Map<number, string>();
  for (const { kind, alternatives, position } of terms)
    if (kind === "pair") pairs.set(position, alternatives[0]!);
  return (character, position) =>
    pairs.get(position)?.startsWith(character) === true ||
    pairs.get(position - 1)?.endsWith(character) === true;
}

function phraseTerms(terms: readonly QueryTerm[]): readonly QueryTerm[] {
  const isPaired = pairsOf(terms);
  return terms.filter(
    ({ kind, alternatives, position }) =>
      PHRASE_KINDS.has(kind) || (kind === "character" && !isPaired(alternatives[0]!, position)),
  );
}

function collect(query: string, languages: readonly string[], stemmers: Stemmers): QueryTerm[] {
  const collector = new QueryPieces(languages, stemmers, latinReadingOf(query, languages), acronymsOf(query));
  scan(query, 0, collector);
  return withOverlaps(withWords(collector.terms, query));
}

/** A Han character between spaces, before which no number stands: *年* is its unit in *2000 年*. */
const APART = /(?<=^|\s)(?<!\p{N}\s+)\p{Script=Han}(?=$|\s)/gu;

/** What says little as a part of a run is a word where the query writes it apart, as *犬* in *散歩 犬*. */
function withWords(terms: QueryTerm[], query: string): QueryTerm[] {
  const apart = terms.some(({ kind }) => kind === "character") ? query.match(APART) : null;
  if (apart === null) return terms;
  const isPaired = pairsOf(terms);
  return terms.map((term) => {
    const { kind, alternatives, position } = term;
    const isApart = kind === "character" && alternatives.some((character) => apart.includes(character));
    return isApart && !isPaired(alternatives[0]!, position) ? { ...term, alone: true } : term;
  });
}

/** Kinds that may be a part of a question word of two characters. */
const OVERLAPPING: ReadonlySet<TermKind> = new Set(["character", "pair", "variant", "joint"]);

/** What overlaps a question word of two characters, in a script without spaces, counts as a part of it: it is no word. */
function withOverlaps(terms: QueryTerm[]): QueryTerm[] {
  const pairs = new Map<number, readonly string[]>();
  for (const { kind, questionIn, position } of terms)
    if (kind === "pair" && questionIn.length > 0) pairs.set(position, questionIn);
  if (pairs.size === 0) return terms;
  return terms.map((term) => {
    const { kind, questionIn, position } = term;
    if (!OVERLAPPING.has(kind) || questionIn.length > 0) return term;
    const before = pairs.get(position) ?? pairs.get(position - 1);
    const isOfTwo = kind === "pair" || kind === "joint";
    const overlaps = before ?? (isOfTwo ? pairs.get(position + 1) : undefined);
    return overlaps === undefined ? term : { ...term, questionIn: overlaps };
  });
}

class QueryPieces implements PieceSink {
  readonly terms: QueryTerm[] = [];
  private previous = { syllable: "", position: -2, questionIn: NO_LANGUAGES };
  private readonly joints = new Joints();
  private readonly stemmed = new Map<Script, ReadonlySet<StemLanguage>>();

  constructor(
    private readonly languages: readonly string[],
    private readonly stemmers: Stemmers,
    private readonly latin: LatinReading,
    private readonly acronyms: ReadonlySet<string>,
  ) {}

  word(text: string, start: number, end: number, script: Script, position: number): void {
    const word = text.slice(start, end);
    this.joints.before(text, start, end, position + 1);
    const clean = unifySpelling(word, script);
    if (clean === "") return;
    const surface = foldAccents(clean) || clean;
    const questionIn = this.acronyms.has(clean) ? NO_LANGUAGES : questionLanguages(clean);
    if (this.latin === "syllables" && script === "latin") {
      const letters = lettersOf(clean, surface);
      const written = writtenOf(clean);
      this.terms.push({ alternatives: written, kind: "syllable", position, surface, letters, questionIn });
      if (this.previous.position === position - 1) {
        const before = writtenOf(this.previous.syllable);
        const pair = (which: number) =>
          pairOfSyllables(before[which] ?? before[0]!, written[which] ?? written[0]!);
        const alternatives = before.length + written.length > 2 ? [pair(0), pair(1)] : [pair(0)];
        const both = this.previous.questionIn.filter((language) => questionIn.includes(language));
        this.terms.push({
          alternatives,
          kind: "pair",
          position: position - 1,
          surface: "",
          questionIn: both,
        });
      }
      this.previous = { syllable: clean, position, questionIn };
      return;
    }
    const forms = new WordForms(script, this.languages);
    if (this.latin === "either" && script === "latin")
      for (const each of writtenOf(clean)) forms.add(each, "none");
    for (const language of this.stemLanguages(script)) {
      const { primary, plain } = stemmedTerms(clean, surface, language, this.stemmers);
      forms.add(primary, language);
      forms.add(surface === clean ? variantOf(primary) : plain, language);
      this.addFormer(forms, clean, surface, language);
      // Lakes that were built before spellings of Devanagari were unified have words as they were written.
      if (clean !== word && script === "devanagari") forms.add(this.stemmers.stem(word, language), language);
    }
    this.terms.push({
      alternatives: forms.texts(),
      forms: forms.stemmers > 1 ? forms : undefined,
      kind: "word",
      position,
      surface,
      letters: script === "latin" ? lettersOf(clean, surface) : undefined,
      questionIn,
    });
    for (const affix of affixesOf(surface, script)) this.push(affix, "affix", position, questionIn);
  }

  /** Lakes that were built before a language had its stemmer have its words in other forms. */
  private addFormer(forms: WordForms, clean: string, surface: string, language: StemLanguage): void {
    const former = this.stemmers.formerStem(clean, language);
    const plain = this.stemmers.formerStem(surface, language);
    if (former === undefined || plain === undefined) return;
    forms.add(former, language);
    forms.add(surface === clean ? variantOf(former) : plain, language);
  }

  character(text: string, start: number, end: number, position: number): void {
    this.unspaced(text.slice(start, end), "character", position);
  }

  pair(text: string, start: number, end: number, position: number): void {
    this.unspaced(text.slice(start, end), "pair", position);
  }

  /** A run of a query is looked for by its pairs. */
  unit(): void {}

  /** What stands before a Korean word, and the first syllable of a longer one, which may be the word without its particle. */
  hangul(syllables: readonly string[], position: number): void {
    const joint = this.joints.meet(syllables, position);
    if (joint !== undefined) this.push(joint, "joint", position - 1);
    if (syllables.length > 1) this.push(syllables[0]!, "variant", position);
  }

  compound(term: string, position: number): void {
    this.push(foldAccents(term) || term, "compound", position);
  }

  part(part: string, position: number): void {
    this.push(foldAccents(part) || part, "part", position);
  }

  emoji(emoji: string, position: number): void {
    this.push(emoji, "emoji", position);
  }

  /** Those of the index's languages in which words of a script are stemmed differently. */
  private stemLanguages(script: Script): ReadonlySet<StemLanguage> {
    let found = this.stemmed.get(script);
    if (found === undefined) {
      found = new Set(this.languages.map((language) => stemLanguage(script, language)));
      this.stemmed.set(script, found);
    }
    return found;
  }

  /** A piece of a script without spaces: in simplified Chinese, and as it is written, as Japanese has it. */
  private unspaced(written: string, kind: TermKind, position: number): void {
    const simplified = simplifiedCharacters(written);
    const alternatives = simplified === written ? [written] : [simplified, written];
    const questionIn = alternatives.flatMap(questionLanguages);
    this.terms.push({ alternatives, kind, position, surface: "", questionIn });
  }

  private push(term: string, kind: TermKind, position: number, questionIn = NO_LANGUAGES): void {
    this.terms.push({ alternatives: [term], kind, position, surface: "", questionIn });
  }
}

/** A Vietnamese syllable as documents have it, and as those of older lakes do. */
function writtenOf(syllable: string): readonly string[] {
  const newer = newerTone(syllable);
  return newer === syllable ? [syllable] : [newer, syllable];
}

function lettersOf(word: string, surface: string): readonly string[] | undefined {
  return word === surface ? undefined : lettersBeyondAscii(word);
}
