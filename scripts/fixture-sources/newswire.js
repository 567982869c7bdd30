import { DAY_MS, FIXTURE_NOW_MS, HOUR_MS } from "./moment.js";
import { BRANDS, CITIES, LANGUAGES, TOPICS } from "./phrases.js";
import { fill } from "./phrasing.js";

/** @import { Random } from "./random.js" */

const ARTICLES = 160;
/**
 * Section of each topic, and the tone around which its news lies.
 * @type {Readonly<Record<string, readonly [section: string, tone: number]>>}
 */
const TOPIC_NEWS = {
  phone: ["technology", 1.5],
  desk: ["technology", 0],
  coffee: ["markets", 0.5],
  cycling: ["city", 1],
  weather: ["weather", -3.5],
  cats: ["life", 2],
};

/**
 * Invented news in four languages, in a shape of its own that `mappings/newswire.json` describes.
 * @param {Random} random
 * @returns {unknown[]}
 */
export function newswire(random) {
  return Array.from({ length: ARTICLES }, (_, at) => {
    const language = LANGUAGES[at % LANGUAGES.length];
    const topic = random.pick(TOPICS);
    const headline = fill(random.pick(topic.headlines[language]), language, random);
    const body = Array.from({ length: random.int(1, 3) }, () =>
      fill(random.pick(topic.sentences[language]), language, random),
    );
    const publishedMs = FIXTURE_NOW_MS - random.int(HOUR_MS, 30 * DAY_MS);
    const text = [...new Set(body)].join(" ");
    const named = [...BRANDS, ...CITIES[language]].filter((name) => `${headline} ${text}`.includes(name));
    const [section, usual] = TOPIC_NEWS[topic.key];
    const tone = Math.round((usual + random.next() * 4 - 2) * 100) / 100;
    return {
      article_id: `nw-${String(at + 1).padStart(4, "0")}-${random.token(6)}`,
      lang: language,
      headline,
      body: text,
      section,
      tone,
      verdict: tone > 1 ? "pos" : tone < -1 ? "neg" : "neu",
      names: named,
      url: `https://newswire.example/${language}/${at + 1}`,
      published_at: new Date(publishedMs).toISOString(),
      fetched_at: new Date(Math.min(FIXTURE_NOW_MS, publishedMs + random.int(60_000, HOUR_MS))).toISOString(),
    };
  });
}
