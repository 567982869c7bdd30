import { candidatesOf, LONGEST } from "./candidates.js";
import { Conflation } from "./conflation.js";

const MOST_ENDINGS = 150;
/** What a change has to bring: an ending or a front, a fleeting vowel, a letter that counts as another. */
const GAIN = { ending: 4e-4, vowel: 1e-3, letter: 1e-3 };
/** Endings that are tried for the next place, the best of the last trial first. */
const TRIALS = 40;
/** Of the most frequent candidates, how many are tried two at once where none brings anything alone. */
const PAIRED = 25;
const VOWELS = "aeoаео";
/** Letters that change into each other at the end of a stem, accents left out, and the final forms of Hebrew ones. */
const ALTERNATING = "oa ei kc gz hz gk td pb fw кц гз хс кг қғ пб тд ךכ םמ ןנ ףפ ץצ".split(" ");

/**
 * Learns the endings of a language: those that together bring the most forms of one lemma to one stem, and the fewest of several,
 * one after another while the next brings something.
 * @param {readonly { form: string, lemma: string }[]} words each form once
 * @param {{ least: number, passes: number, fronts: boolean }} settings
 */
export function learnEndings(words, { least, passes, fronts }) {
  const learner = new Learner(words, least, passes);
  if (fronts) learner.addFronts();
  learner.addEndings();
  if (fronts) learner.addFronts();
  learner.addVowels();
  learner.addLetters();
  learner.addEndings();
  return { rules: learner.rules, ...learner.quality };
}

class Learner {
  /**
   * @param {readonly { form: string, lemma: string }[]} words
   * @param {number} least
   * @param {number} passes
   */
  constructor(words, least, passes) {
    this.words = words;
    this.rules = {
      least,
      passes,
      endings: /** @type {Set<string>} */ (new Set()),
      longest: LONGEST.ending,
      fronts: /** @type {Map<string, string>} */ (new Map()),
      longestFront: LONGEST.front,
      fleeting: /** @type {Set<string>} */ (new Set()),
      last: /** @type {Map<string, string>} */ (new Map()),
    };
    this.conflation = new Conflation(words, this.rules);
    this.places = words.map((_, at) => at);
    this.candidates = candidatesOf(words);
    this.having = new Map(this.candidates.endings.map((ending) => [ending, this.wordsWith(ending)]));
  }

  get quality() {
    return this.conflation.quality;
  }

  /** Fronts that bring something, the best first. */
  addFronts() {
    const { fronts } = this.rules;
    for (;;) {
      let best = { front: "", instead: "", value: this.quality.f + GAIN.ending };
      for (const { front, instead } of this.candidates.fronts) {
        const before = fronts.get(front);
        if (before === instead) continue;
        const undo = () => (before === undefined ? fronts.delete(front) : fronts.set(front, before));
        const value = this.measure(this.beginningWith(front), () => fronts.set(front, instead), undo);
        if (value > best.value) best = { front, instead, value };
      }
      if (best.front === "") return;
      this.keep(this.beginningWith(best.front), () => fronts.set(best.front, best.instead));
    }
  }

  /** Endings that bring something, the best first; then those go that others have made worthless. */
  addEndings() {
    const { endings } = this.rules;
    const order = this.candidates.endings.map((ending) => ({ ending, value: Number.POSITIVE_INFINITY }));
    while (endings.size < MOST_ENDINGS) {
      order.sort((a, b) => b.value - a.value);
      const single = this.bestEnding(order);
      const best = single === "" ? this.bestPair() : [single];
      if (best.length === 0) break;
      for (const ending of best) this.keep(this.having.get(ending) ?? [], () => endings.add(ending));
    }
    for (const ending of [...endings]) {
      const affected = this.having.get(ending) ?? [];
      const { f } = this.quality;
      const drop = () => endings.delete(ending);
      if (this.measure(affected, drop, () => endings.add(ending)) >= f) this.keep(affected, drop);
    }
  }

  /** Vowels that come and go. */
  addVowels() {
    const { fleeting } = this.rules;
    for (const vowel of VOWELS) {
      const { f } = this.quality;
      const add = () => fleeting.add(vowel);
      const value = this.measure(this.places, add, () => fleeting.delete(vowel));
      if (value >= f + GAIN.vowel) this.keep(this.places, add);
    }
  }

  /** Last letters of stems that count as another, the best first. */
  addLetters() {
    const { last } = this.rules;
    const pairs = ALTERNATING.map(([from = "", to = ""]) => ({ from, to }));
    for (;;) {
      let best = { from: "", to: "", value: this.quality.f + GAIN.letter };
      for (const { from, to } of pairs) {
        if (last.has(from) || last.has(to) || [...last.values()].includes(from)) continue;
        const affected = this.places.filter((at) => this.conflation.stems[at]?.endsWith(from));
        const set = () => last.set(from, to);
        const value = this.measure(affected, set, () => last.delete(from));
        if (value > best.value) best = { from, to, value };
      }
      if (best.from === "") return;
      this.keep(this.places, () => last.set(best.from, best.to));
    }
  }

  /**
   * The ending that brings the most, of those that brought the most when they were tried last.
   * @param {{ ending: string, value: number }[]} order with the values of the last trials, which are set
   */
  bestEnding(order) {
    const { endings } = this.rules;
    let best = { ending: "", value: this.quality.f + GAIN.ending };
    let tried = 0;
    for (const candidate of order) {
      const { ending } = candidate;
      if (endings.has(ending)) continue;
      if (tried >= TRIALS && Number.isFinite(candidate.value)) break;
      tried += 1;
      candidate.value = this.measure(
        this.having.get(ending) ?? [],
        () => endings.add(ending),
        () => endings.delete(ending),
      );
      if (candidate.value > best.value) best = candidate;
    }
    return best.ending;
  }

  /** Two endings that bring something only together, as *-ti* and *-l* of a verb whose stem ends in a vowel; none, or the best. */
  bestPair() {
    const { endings } = this.rules;
    const often = this.candidates.endings.filter((ending) => !endings.has(ending)).slice(0, PAIRED);
    let best = { pair: /** @type {string[]} */ ([]), value: this.quality.f + 2 * GAIN.ending };
    for (const [at, one] of often.entries())
      for (const other of often.slice(at + 1)) {
        const affected = [...(this.having.get(one) ?? []), ...(this.having.get(other) ?? [])];
        const add = () => endings.add(one).add(other);
        const drop = () => [endings.delete(one), endings.delete(other)];
        const value = this.measure(affected, add, drop);
        if (value > best.value) best = { pair: [one, other], value };
      }
    return best.pair;
  }

  /**
   * The quality with a change, which is taken back.
   * @param {readonly number[]} affected
   * @param {() => unknown} change
   * @param {() => unknown} undo
   */
  measure(affected, change, undo) {
    change();
    this.conflation.follow(affected);
    const { f } = this.quality;
    undo();
    this.conflation.follow(affected);
    return f;
  }

  /**
   * @param {readonly number[]} affected
   * @param {() => unknown} change
   */
  keep(affected, change) {
    change();
    this.conflation.follow(affected);
  }

  /** @param {string} front */
  beginningWith(front) {
    return this.places.filter((at) => this.words[at]?.form.startsWith(front));
  }

  /**
   * Words that an ending may come off: with several passes, also before others.
   * @param {string} ending
   */
  wordsWith(ending) {
    const { least, passes } = this.rules;
    return this.places.filter((at) => {
      const { form = "" } = this.words[at] ?? {};
      return passes > 1 ? form.includes(ending, least) : form.endsWith(ending);
    });
  }
}
