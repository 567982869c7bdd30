import { BRANDS, CITIES, MODELS, NICKNAMES, REMARKS } from "./phrases.js";
/** @import { Language, Topic } from "./phrases.js" */
/** @import { Random } from "./random.js" */

/**
 * The phrase with its slots filled.
 * @param {string} phrase
 * @param {Language} language
 * @param {Random} random
 * @returns {string}
 */
export function fill(phrase, language, random) {
  return phrase.replace(/\{(\w+)\}/g, (_, /** @type {string} */ slot) => {
    if (slot === "brand") return random.pick(BRANDS);
    if (slot === "model") return random.pick(MODELS);
    if (slot === "city") return random.pick(CITIES[language]);
    return String(slot === "pct" ? random.int(3, 95) : random.int(2, 90));
  });
}

/**
 * An invented nickname.
 * @param {Language} language
 * @param {Random} random
 * @returns {string}
 */
export function nickname(language, random) {
  const [first, second] = NICKNAMES[language];
  const joined = random.pick(first) + (language === "zh" ? "" : "_") + random.pick(second);
  return random.chance(0.5) ? `${joined}${random.int(1, 999)}` : joined;
}

/**
 * What someone writes under a post on `topic`.
 * @param {Topic} topic
 * @param {Language} language
 * @param {Random} random
 * @returns {string}
 */
export function remark(topic, language, random) {
  return random.pick(random.chance(0.7) ? topic.comments[language] : REMARKS[language]);
}
