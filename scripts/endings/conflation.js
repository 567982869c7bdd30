import { built } from "../built.js";

const { stemOf } = /** @type {typeof import("../../src/search/analysis/light-stemmer.js")} */ (
  await built("search/analysis/light-stemmer.js")
);

/**
 * How well rules bring the forms of each lemma together, and keep them apart from those of others: pairs of forms with one stem,
 * counted as words move from stem to stem.
 */
export class Conflation {
  #ofStem = new Map();
  #ofBoth = new Map();
  #right = 0;
  #together = 0;
  #wanted = 0;

  /**
   * @param {readonly { form: string, lemma: string }[]} words each form once
   * @param {import("../../src/search/analysis/light-stemmer.js").Endings} rules heeded as they are when asked
   */
  constructor(words, rules) {
    this.words = words;
    this.rules = rules;
    const lemmas = new Map();
    for (const { lemma } of words) {
      this.#wanted += lemmas.get(lemma) ?? 0;
      lemmas.set(lemma, (lemmas.get(lemma) ?? 0) + 1);
    }
    this.stems = words.map(({ form }) => stemOf(form, rules));
    for (let at = 0; at < words.length; at += 1) this.#move(at, this.stems[at], 1);
  }

  /** Precision, recall and their harmonic mean, of pairs of forms. */
  get quality() {
    const precision = this.#right / Math.max(1, this.#together);
    const recall = this.#right / Math.max(1, this.#wanted);
    const f = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
    return { precision, recall, f };
  }

  /** Stems words again, by their places. */
  follow(places) {
    for (const at of places) {
      const stem = stemOf(this.words[at].form, this.rules);
      if (stem === this.stems[at]) continue;
      this.#move(at, this.stems[at], -1);
      this.#move(at, stem, 1);
      this.stems[at] = stem;
    }
  }

  #move(at, stem, by) {
    const both = `${stem}\t${this.words[at].lemma}`;
    const others = (this.#ofStem.get(stem) ?? 0) - (by < 0 ? 1 : 0);
    const same = (this.#ofBoth.get(both) ?? 0) - (by < 0 ? 1 : 0);
    this.#together += by * others;
    this.#right += by * same;
    this.#ofStem.set(stem, others + (by > 0 ? 1 : 0));
    this.#ofBoth.set(both, same + (by > 0 ? 1 : 0));
  }
}
