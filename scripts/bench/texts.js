import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { seeded } from "./random.js";

const SENTENCE = /[^.!?。！？]+[.!?。！？]*/gu;

/** Share of documents on each platform of the benchmark's own: they are the filters of selectivity 10 %, 1 % and 0.1 %. */
export const PLATFORMS = [
  { slug: "bench-tenth", code: "bta", share: 0.1 },
  { slug: "bench-hundredth", code: "bhu", share: 0.01 },
  { slug: "bench-thousandth", code: "bth", share: 0.001 },
  { slug: "bench-rest", code: "bre", share: 0.889 },
];

function lines(path) {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Real passages, grouped by source and language, each cut into sentences. */
function readGroups(data) {
  const passages = [];
  for (const row of lines(join(data, "ir_xquad_multi/beir/corpus.jsonl"))) {
    if (["en", "es", "zh", "vi"].includes(row.lang))
      passages.push({ group: `xquad-${row.lang}`, lang: row.lang, text: row.text });
  }
  for (const row of lines(join(data, "ir_cranfield_en/beir/corpus.jsonl"))) {
    passages.push({ group: "cranfield", lang: "en", text: row.text });
  }
  for (const row of lines(join(data, "social_long_video_transcripts_en/videos.jsonl"))) {
    const spoken = row.segments.map((segment) => segment.text);
    for (let at = 0; at < spoken.length; at += 24) {
      const text = Array.from({ length: 4 }, (_, k) => spoken.slice(at + k * 6, at + k * 6 + 6).join(" "))
        .filter(Boolean)
        .join(". ");
      passages.push({ group: "transcripts", lang: "en", text });
    }
  }
  const groups = new Map();
  for (const passage of passages) {
    const sentences = (passage.text.match(SENTENCE) ?? []).map((s) => s.trim()).filter((s) => s.length > 20);
    if (sentences.length < 2) continue;
    const group = groups.get(passage.group) ?? [];
    group.push({ lang: passage.lang, sentences });
    groups.set(passage.group, group);
  }
  return [...groups.values()];
}

/** The platform that a number in [0, 1) falls to, by the platforms' shares. */
function platformOf(draw) {
  let sum = 0;
  for (const platform of PLATFORMS) {
    sum += platform.share;
    if (draw < sum) return platform;
  }
  return PLATFORMS[PLATFORMS.length - 1];
}

/**
 * `size` documents of real text. The first ones are the passages as they are; once these are used up, further documents are
 * recombined from the sentences of two passages of one source, most of them from the first, so that topics stay.
 * @param {number} size
 * @param {number} seed
 * @returns {Generator<{ id: string, lang: string, text: string, platform: string, code: string }>}
 */
export function* documents(size, seed = 1) {
  const data = new URL("../../../shared/data/", import.meta.url).pathname;
  if (!existsSync(data))
    throw new Error("The benchmarks read ../shared/data beside the checkout; it is not there.");
  const groups = readGroups(data);
  const passages = groups.flat();
  const random = seeded(seed);
  for (let n = 0; n < size; n += 1) {
    let lang;
    let text;
    if (n < passages.length) {
      ({ lang } = passages[n]);
      text = passages[n].sentences.join(" ");
    } else {
      const group = groups[Math.floor(random() * groups.length)];
      const first = group[Math.floor(random() * group.length)];
      const second = group[Math.floor(random() * group.length)];
      lang = first.lang;
      const kept = first.sentences.filter(() => random() < 0.7);
      const taken = second.sentences.filter(() => random() < 0.25);
      text = [...kept, ...taken].join(" ") || first.sentences[0];
    }
    const platform = platformOf(random());
    yield {
      id: `web_${platform.code}_${String(n).padStart(8, "0")}`,
      lang,
      text,
      platform: platform.slug,
      code: platform.code,
    };
  }
}

/**
 * Queries that people wrote: the questions of the passages' collections, in the languages of the documents.
 * @param {number} count
 * @param {number} seed
 * @returns {string[]}
 */
export function queries(count, seed = 2) {
  const data = new URL("../../../shared/data/", import.meta.url).pathname;
  const all = [
    ...lines(join(data, "ir_xquad_multi/beir/queries.jsonl")).filter((q) =>
      ["en", "es", "zh", "vi"].includes(q.lang),
    ),
    ...lines(join(data, "ir_cranfield_en/beir/queries.jsonl")),
  ]
    .map((q) => q.text)
    .filter((text) => !/["“”«»]/.test(text)); // quotation marks ask for a phrase, which engines understand differently
  const random = seeded(seed);
  return Array.from({ length: count }, () => all[Math.floor(random() * all.length)]);
}

/**
 * At most `count` different questions, the same ones every time.
 * @param {number} count
 * @returns {string[]}
 */
export function questions(count) {
  return [...new Set(queries(count * 2))].slice(0, count);
}
