import { DAY_MS, FIXTURE_NOW_MS, HOUR_MS } from "./moment.js";
import { CITIES, LANGUAGES, REPLIES, TOPICS } from "./phrases.js";
/** @import { Language, Topic } from "./phrases.js" */
import { fill, nickname, remark } from "./phrasing.js";
/** @import { Random } from "./random.js" */

/** The video that the demo looks up: it has the largest comment tree. */
export const STAR_VIDEO_ID = "7400000000000000123";

const VIDEOS = 132;
const STAR_COMMENTS = 63;

/** @typedef {{ readonly uid: string; readonly sec_uid: string; readonly unique_id: string; readonly nickname: string; readonly follower_count: number; readonly region: string; }} User */

/** @type {Readonly<Record<Language, string>>} */
const REGION = { zh: "CN", en: "GB", es: "ES", id: "ID" };

/**
 * @param {Language} language
 * @param {Random} random
 * @returns {User}
 */
function user(language, random) {
  return {
    uid: `69${random.digits(17)}`,
    sec_uid: `MS4wLjABAAAA${random.token(43)}`,
    unique_id: `user${random.digits(9)}`,
    nickname: nickname(language, random),
    follower_count: random.skewed(3, 2_000_000),
    region: REGION[language],
  };
}

/**
 * Invented answers of a short-video platform: videos, and their comments with replies to replies.
 * @param {Random} random
 * @returns {{ videos: unknown[]; comments: unknown[] }}
 */
export function shortVideo(random) {
  /** @type {unknown[]} */
  const videos = [];
  /** @type {unknown[]} */
  const comments = [];
  const creators = LANGUAGES.map((language) => Array.from({ length: 9 }, () => user(language, random)));
  const people = LANGUAGES.map((language) => Array.from({ length: 60 }, () => user(language, random)));
  for (let at = 0; at < VIDEOS; at++) {
    const star = at === 0;
    /** @type {Language} */
    const language = star ? "zh" : LANGUAGES[at % LANGUAGES.length];
    const group = LANGUAGES.indexOf(language);
    const topic = star ? TOPICS[0] : random.pick(TOPICS);
    const id = star ? STAR_VIDEO_ID : `74${random.digits(17)}`;
    const createdMs = FIXTURE_NOW_MS - random.int(4 * HOUR_MS, 20 * DAY_MS);
    const top = star ? STAR_COMMENTS : random.skewed(0, 24);
    const thread = commentsOf(id, topic, language, people[group], top, createdMs, random);
    comments.push(...thread);
    const plays = star ? random.int(3_000_000, 6_000_000) : random.skewed(400, 9_000_000);
    const topics = [...new Set([topic, ...(random.chance(0.4) ? [random.pick(TOPICS)] : [])])];
    const tags = topics.map(({ tag }) => tag[language]);
    const text = `${fill(random.pick(topic.captions[language]), language, random)} ${tags.map((t) => `#${t}`).join(" ")}`;
    const seconds = random.int(8, 180);
    videos.push({
      aweme_id: id,
      desc: text,
      desc_language: language,
      create_time: Math.floor(createdMs / 1000),
      region: REGION[language],
      duration: seconds * 1000,
      author: random.pick(creators[group]),
      cha_list: topics.map((one) => ({
        cid: String(1_600_000 + TOPICS.indexOf(one) * 10 + group),
        cha_name: one.tag[language],
      })),
      text_extra: tags.map((tag) => ({ type: 1, hashtag_name: tag })),
      statistics: {
        aweme_id: id,
        comment_count: thread.length,
        digg_count: Math.floor(plays * (0.02 + random.next() * 0.1)),
        share_count: Math.floor(plays * random.next() * 0.01),
        collect_count: Math.floor(plays * random.next() * 0.02),
        play_count: plays,
      },
      video: { cover: { url_list: [`https://media.example/cover/${id}.jpg`] }, duration: seconds * 1000 },
      share_url: `https://short-video.example/v/${id}`,
    });
  }
  return { videos, comments };
}

/**
 * @param {string} videoId
 * @param {Topic} topic
 * @param {Language} language
 * @param {readonly User[]} people
 * @param {number} top
 * @param {number} sinceMs
 * @param {Random} random
 * @returns {object[]}
 */
function commentsOf(videoId, topic, language, people, top, sinceMs, random) {
  /** @type {object[]} */
  const rows = [];
  const span = FIXTURE_NOW_MS - sinceMs;
  /**
   * @param {object} fields
   * @param {string} text
   * @param {number} atMs
   * @param {number} likes
   */
  const comment = (fields, text, atMs, likes) => ({
    cid: `75${random.digits(17)}`,
    text,
    aweme_id: videoId,
    create_time: Math.floor(atMs / 1000),
    digg_count: likes,
    ip_label: random.pick(CITIES[language]),
    user: random.pick(people),
    image_list: null,
    ...fields,
  });
  for (let at = 0; at < top; at++) {
    const atMs = sinceMs + Math.floor(span * random.next() * 0.9);
    const replies = random.chance(0.35) ? random.skewed(1, 9) : 0;
    const parent = comment(
      { reply_id: "0", reply_to_reply_id: "0", reply_comment_total: replies, is_hot: at < 3 },
      remark(topic, language, random),
      atMs,
      at < 3 ? random.int(2_000, 9_000) : random.skewed(0, 900),
    );
    rows.push(parent);
    /** @type {string[]} */
    const answered = [];
    for (let reply = 0; reply < replies; reply++) {
      // Half of the later replies answer another reply: the tree goes deeper than two levels.
      const to = answered.length > 0 && random.chance(0.5) ? random.pick(answered) : "0";
      const row = comment(
        { reply_id: parent.cid, reply_to_reply_id: to, reply_comment_total: 0, is_hot: false },
        random.pick(REPLIES[language]),
        Math.min(FIXTURE_NOW_MS - 1000, atMs + (reply + 1) * random.int(60_000, 900_000)),
        random.skewed(0, 80),
      );
      answered.push(row.cid);
      rows.push(row);
    }
  }
  return rows;
}
