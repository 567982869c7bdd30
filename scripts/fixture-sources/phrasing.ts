import { BRANDS, CITIES, type Language, MODELS, NICKNAMES, REMARKS, type Topic } from "./phrases.js";
import type { Random } from "./random.js";

/** The phrase with its slots filled. */
export function fill(phrase: string, language: Language, random: Random): string {
  return phrase.replace(/\{(\w+)\}/g, (_, slot: string) => {
    if (slot === "brand") return random.pick(BRANDS);
    if (slot === "model") return random.pick(MODELS);
    if (slot === "city") return random.pick(CITIES[language]);
    return String(slot === "pct" ? random.int(3, 95) : random.int(2, 90));
  });
}

/** An invented nickname. */
export function nickname(language: Language, random: Random): string {
  const [first, second] = NICKNAMES[language];
  const joined = random.pick(first) + (language === "zh" ? "" : "_") + random.pick(second);
  return random.chance(0.5) ? `${joined}${random.int(1, 999)}` : joined;
}

/** What someone writes under a post on `topic`. */
export function remark(topic: Topic, language: Language, random: Random): string {
  return random.pick(random.chance(0.7) ? topic.comments[language] : REMARKS[language]);
}
