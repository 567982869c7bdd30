import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Languages of the generated texts: four scripts and ways of telling words apart. */
export const LANGUAGES = ["en", "zh", "es", "vi"] as const;

const CORPUS = "ir_xquad_multi/beir/corpus.jsonl";
const SENTENCE = /[^.!?。！？]+[.!?。！？]*/gu;

/** Makes texts out of real sentences (XQuAD's passages, CC BY-SA 4.0) of one language. */
export class Texts {
  private readonly sentences: ReadonlyMap<string, readonly string[]>;

  /** @param data folder of the real data */
  constructor(
    data: string,
    private readonly random: (below: number) => number,
  ) {
    const passages = readFileSync(join(data, CORPUS), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { lang: string; text: string });
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

  /** One to three sentences, with what people add: a hashtag, a product code, an amount. */
  make(lang: string): string {
    const { random } = this;
    const of = this.sentences.get(lang)!;
    const parts = Array.from({ length: 1 + random(3) }, () => of[random(of.length)]!);
    if (random(3) === 0)
      parts.push(`#${["sale", "news", "热门", "oferta", "moi"][random(5)]}${random(50_000)}`);
    if (random(4) === 0) parts.push(`SM-${random(100_000)}`);
    if (random(5) === 0) parts.push(`${random(10_000)},${random(100)}`);
    return parts.join(" ");
  }
}
