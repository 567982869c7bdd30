import type { Script } from "./scripts.js";
import { primaryLanguage, type StemLanguage, stemLanguage } from "./stemming.js";

/**
 * The forms of a word, each with the stemmers that make it. A form is the word only in languages with those stemmers: *für* ends as `fur`
 * in German, as *furs* does in English.
 */
export class WordForms {
  private readonly byText = new Map<string, StemLanguage[]>();
  private readonly all = new Set<StemLanguage>();

  /** @param languages of the documents of the index, primary subtags */
  constructor(
    private readonly script: Script,
    private readonly languages: readonly string[],
  ) {}

  /** Number of stemmers. */
  get stemmers(): number {
    return this.all.size;
  }

  /** Adds a form that a stemmer makes. */
  add(text: string, stemmer: StemLanguage): void {
    const known = this.byText.get(text);
    if (known === undefined) this.byText.set(text, [stemmer]);
    else known.push(stemmer);
    this.all.add(stemmer);
  }

  /** The forms, sorted. */
  texts(): string[] {
    return [...this.byText.keys()].sort();
  }

  /** The languages whose documents have the word in a form; undefined if all do. */
  spokenIn(text: string): ReadonlySet<string> | undefined {
    const spoken = this.languages.filter((language) => this.isIn(text, language));
    return spoken.length === this.languages.length ? undefined : new Set(spoken);
  }

  /** Whether documents in a language (BCP-47) have the word in a form. */
  isIn(text: string, language: string): boolean {
    const stemmers = this.byText.get(text);
    return stemmers?.includes(stemLanguage(this.script, primaryLanguage(language))) === true;
  }
}
