import { DocumentTerms } from "../analysis/document-terms.js";
import type { FieldText } from "../analysis/fields.js";
import { Stemmers } from "../analysis/stemming.js";
import type { NumberedTerms, TermSink } from "../analysis/term.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { ChunkFeatures, type FeatureChunk } from "../fit/chunk-features.js";
import { ChunkPostings, type InvertedChunk } from "../keyword/postings/chunk-postings.js";

const { fieldGap } = SEARCH_DEFAULTS;
/** Most terms cached across chunks. */
const REMEMBERED = 300_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: every character of ASCII
const ASCII = /^[\x00-\x7f]*$/;

/** A document to be analysed. */
export interface DocumentTexts {
  /** BCP-47 tag. */
  readonly lang: string;
  /** Number of its language among the features' languages; absent without features. */
  readonly language?: number;
  readonly texts: readonly FieldText[];
}

/** What is extracted of documents: postings, unless they are there already; features for the default embedder, where it is to embed them. */
export interface Extracts {
  readonly postings: boolean;
  readonly features: boolean;
}

/** An analysed chunk: postings, empty where they were not requested, and, if requested, features. */
export interface AnalysedChunk {
  readonly keyword: InvertedChunk;
  readonly features?: FeatureChunk;
}

/** Analyses documents in chunks. The result depends on the chunk alone, not on earlier ones. */
export class Analyzer {
  /** Those of the documents so far, for queries over these alone. */
  readonly stemmers = new Stemmers();
  private hasAsciiOnly = true;
  private readonly postings = new ChunkPostings();
  private readonly features: ChunkFeatures | undefined;
  private readonly terms: DocumentTerms;

  constructor({ postings, features }: Extracts) {
    this.features = features ? new ChunkFeatures() : undefined;
    const sinks = [...(postings ? [this.postings] : []), ...(this.features ? [this.features] : [])];
    this.terms = new DocumentTerms(
      this.stemmers,
      sinks.length === 1 ? sinks[0]! : both(this.postings, this.features!),
    );
  }

  async analyse(documents: readonly DocumentTexts[]): Promise<AnalysedChunk> {
    this.hasAsciiOnly &&= documents.every(({ texts }) => texts.every(({ text }) => ASCII.test(text)));
    const languages = documents.map(({ lang }) => lang);
    await this.stemmers.load(languages, this.hasAsciiOnly ? "ascii" : "all");
    if (this.terms.size > REMEMBERED) this.terms.forget();
    for (const { lang, language, texts } of documents) {
      let position = 0;
      for (const { text, weight } of texts) {
        this.postings.setWeight(weight);
        this.features?.startField();
        position = this.terms.read(text, lang, position) + fieldGap;
      }
      this.postings.endDocument();
      this.features?.endDocument(language ?? 0);
    }
    const keyword = this.postings.take();
    return this.features === undefined ? { keyword } : { keyword, features: this.features.take() };
  }
}

function both(postings: ChunkPostings, features: ChunkFeatures): TermSink {
  return {
    term(number: number, position: number, terms: NumberedTerms) {
      postings.term(number, position, terms);
      features.term(number, position, terms);
    },
  };
}
