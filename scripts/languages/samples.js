import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** How often a language is drawn, by how much of it there is to read on the web; 1 for one that is not named. */
const WEIGHTS = /** @type {Readonly<Record<string, number>>} */ ({
  ...{ en: 7, es: 6, id: 7, ru: 5, pt: 4, ar: 4, de: 3.5, fr: 3.5, it: 3, hi: 3, uk: 3, nl: 2.5, pl: 2.5 },
  ...{ tr: 2.5, fa: 2.5, cs: 2, ro: 2, sv: 2, vi: 2, da: 1.8, sk: 1.6, bg: 1.6, bn: 1.5, fi: 1.5, he: 1.5 },
  ...{
    hu: 1.5,
    nb: 1.5,
    sl: 1.5,
    ur: 1.5,
    hr: 1.3,
    sr: 1.3,
    "sr-Latn": 1.3,
    ca: 1.2,
    kk: 1.2,
    mr: 1.2,
    tl: 1.2,
  },
  ...{ be: 1.2, ky: 0.9, af: 0.8, sq: 0.8, am: 0.7, ckb: 0.7, cy: 0.7, eu: 0.7, gl: 0.7, is: 0.7, ku: 0.7 },
  ...{ ps: 0.7, tt: 0.7, ug: 0.7, uz: 0.7, zu: 0.7, as: 0.6, eo: 0.6, ga: 0.6, ha: 0.6, ig: 0.6, so: 0.6 },
  ...{ tg: 0.6, xh: 0.6, yo: 0.6, br: 0.5, cv: 0.5, fy: 0.5, lg: 0.5, mi: 0.5, mt: 0.5, nn: 0.5, rw: 0.5 },
  ...{ sah: 0.5, sn: 0.5, st: 0.5, tn: 0.5, ts: 0.5, ceb: 0.4, fo: 0.4, gd: 0.4, lb: 0.4, mg: 0.4, yi: 0.4 },
  ...{ ti: 0.3, und: 4 },
});

/** Words of product names, which tell no language. */
const PRODUCT_WORDS = (
  "phone pro max plus gb tb mb ram rom usb led hd ultra mini note redmi galaxy iphone samsung xiaomi oppo vivo lg sony nokia huawei ssd cpu " +
  "gpu gtx rtx intel amd core ryzen snapdragon mediatek wifi bluetooth amoled oled lcd display mah watt mp fps hz ghz type se neo gt nfc " +
  "x xs xr s gps ddr nvme hdmi uhd fhd qled camera battery screen black white blue red gold silver"
).split(" ");
const LATIN = /\p{Script=Latin}/u;

/** Powers of a word's count: common words come less often than in texts, so that others are learned, too. */
const POWER = 0.8;
/** Words of a language after its most common ones, which several languages share less. */
const COMMON = 2_000;

/**
 * Draws texts and their languages: whole sentences, pieces of one to nine words, words by their counts; some with names, some as
 * people type them who have no accents. The last class is what is no language that is known: other languages, letters at random, words of several.
 * @param {string} folder
 * @param {readonly string[]} languages
 * @param {() => number} random from 0 to 1
 * @returns {() => { text: string; language: number }} the language by its place, `languages.length` for none
 */
export function sampler(folder, languages, random) {
  const below = (/** @type {number} */ count) => Math.floor(random() * count);
  /** @template T @param {readonly T[]} list @returns {T} */
  const any = (list) => list[below(list.length)];
  const repeat = (/** @type {number} */ count, /** @type {() => string} */ make) =>
    Array.from({ length: count }, make).join(" ");

  const sentences = [...languages, "und"].map((language) =>
    readFileSync(join(folder, `${language}.txt`), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(/\s+/)),
  );
  const words = languages.map((language) => wordCounts(join(folder, `${language}.words`)));
  const withWords = words.filter((each) => each.words.length > COMMON);
  const drawLanguage = weighted([...languages, "und"].map((language) => WEIGHTS[language] ?? 1));
  const drawWord = words.map(({ counts }) => weighted(counts.map((count) => count ** POWER)));

  /** @param {readonly number[]} weights */
  function weighted(weights) {
    let sum = 0;
    const sums = weights.map((weight) => {
      sum += weight;
      return sum;
    });
    return () => {
      const at = random() * sum;
      let [low, high] = [0, sums.length - 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (sums[middle] < at) low = middle + 1;
        else high = middle;
      }
      return low;
    };
  }

  /** The whole of a sentence, or some words of it. @param {readonly string[]} sentence */
  function piece(sentence) {
    if (random() < 0.4) return sentence.join(" ");
    const count = 1 + Math.floor(random() ** 1.5 * 9);
    const first = below(Math.max(1, sentence.length - count + 1));
    return sentence.slice(first, first + count).join(" ");
  }

  const letters = () =>
    Array.from({ length: 4 + below(7) }, () => any([..."abcdefghijklmnopqrstuvwxyz"])).join("");
  const syllables = () =>
    Array.from(
      { length: 1 + below(4) },
      () =>
        any([..."bcdfghjklmnprstvwxyz"]) + any([..."aeiou"]) + (random() < 0.3 ? any([..."nrslmtkx"]) : ""),
    ).join("");
  const ofSeveral = () => {
    const list = any(withWords).words;
    return list[COMMON + below(list.length - COMMON)];
  };

  function unknown() {
    const kind = random();
    if (kind < 0.45) return piece(any(sentences[languages.length]));
    const count = 1 + below(6);
    if (kind < 0.65) return repeat(count, letters);
    if (kind < 0.85) return repeat(count, syllables);
    return repeat(count, kind < 0.96 ? ofSeveral : () => any(PRODUCT_WORDS));
  }

  /** Sometimes with words of other languages, as names are. @param {string} text */
  function withNames(text) {
    const list = text.split(" ");
    if (list.length < 3 || random() > 0.2) return text;
    for (let i = below(Math.max(1, list.length / 2)); i >= 0; i--)
      list.splice(below(list.length + 1), 0, ofSeveral());
    return list.join(" ");
  }

  const english = languages.indexOf("en");
  /** @param {number} language */
  function known(language) {
    const kind = random();
    const byCount = () => words[language].words[drawWord[language]()];
    // A product's name in English has words between its brands and numbers.
    if (language === english && kind < 0.05)
      return repeat(3 + below(8), () => (random() < 0.5 ? any(PRODUCT_WORDS) : byCount()));
    const byCounts = words[language].words.length > 0 && kind < 0.15;
    const text = byCounts ? repeat(1 + below(6), byCount) : withNames(piece(any(sentences[language])));
    return languages[language] !== "vi" && random() < 0.12 && LATIN.test(text) ? withoutMarks(text) : text;
  }

  return () => {
    const language = drawLanguage();
    return { language, text: language === languages.length ? unknown() : known(language) };
  };
}

/** @param {string} text */
function withoutMarks(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").normalize("NFC");
}

/** @param {string} file */
function wordCounts(file) {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const pairs = lines.filter((line) => line !== "").map((line) => line.split(" "));
  return { words: pairs.map(([word]) => word), counts: pairs.map(([, count]) => Number(count)) };
}
