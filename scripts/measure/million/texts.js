import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Languages of the generated texts: four scripts and ways of telling words apart. */
export const LANGUAGES = /** @type {const} */ (["en", "zh", "es", "vi"]);

const CORPUS = "ir_xquad_multi/beir/corpus.jsonl";
const SENTENCE = /[^.!?。！？]+[.!?。！？]*/gu;

/** Makes texts out of real sentences (XQuAD's passages, CC BY-SA 4.0) of one language. */
export class Texts {
  /** @type {ReadonlyMap<string, readonly string[]>} */ sentences;

  /**
   * @param {string} data folder of the real data
   * @param {(below: number) => number} random
   */
  constructor(data, random) {
    this.random = random;
    const passages = readFileSync(join(data, CORPUS), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => /** @type {{ lang: string; text: string }} */ (JSON.parse(line)));
    this.sentences = new Map(
      LANGUAGES.map((lang) => [
        lang,
        passages
          .filter((passage) => passage.lang === lang)
          .flatMap(({ text }) => text.match(SENTENCE) ?? [])
          .map((sentence) => sentence.trim())
          .filter((sentence) => sentence.length > 10),
      ]),
    );
  }

  /**
   * One to three sentences, with what people add: a hashtag, a product code, an amount.
   * @param {string} lang
   * @returns {string}
   */
  make(lang) {
    const { random } = this;
    const of = this.sentences.get(lang) ?? [];
    const parts = Array.from({ length: 1 + random(3) }, () => of[random(of.length)]);
    if (random(3) === 0)
      parts.push(`#${["sale", "news", "热门", "oferta", "moi"][random(5)]}${random(50_000)}`);
    if (random(4) === 0) parts.push(`SM-${random(100_000)}`);
    if (random(5) === 0) parts.push(`${random(10_000)},${random(100)}`);
    return parts.join(" ");
  }
}
