import { DAY_MS, FIXTURE_NOW_MS, HOUR_MS, wallTime } from "./moment.js";
import { REPLIES, TOPICS } from "./phrases.js";
import { fill, nickname, remark } from "./phrasing.js";

/** @import { Random } from "./random.js" */

const POSTS = 60;

/**
 * Invented Chinese microblog posts with trees of comments and reposts, as deep as answers to answers go.
 * @param {Random} random
 * @returns {{ posts: unknown[]; comments: unknown[] }}
 */
export function microblog(random) {
  /** @type {unknown[]} */
  const posts = [];
  /** @type {unknown[]} */
  const comments = [];
  for (let no = 1; no <= POSTS; no++) {
    const topic = random.pick(TOPICS);
    const mid = `Q${random.token(8)}`;
    const createdMs = FIXTURE_NOW_MS - random.int(2 * HOUR_MS, 12 * DAY_MS);
    const tree = treeOf(no, mid, createdMs, topic.key, random);
    comments.push(...tree);
    posts.push({
      post_no: no,
      mid,
      author_uid: `19${random.digits(8)}`,
      author_name: {
        verified: random.chance(0.2),
        description: true,
        gender: random.chance(0.5) ? "m" : "f",
        messages: random.skewed(10, 20_000),
        followers: random.skewed(5, 900_000),
        friends: random.int(10, 900),
        location: "其他",
        time: Math.floor((createdMs - 900 * DAY_MS) / 1000),
        verified_type: -1,
        name: nickname("zh", random),
      },
      text: `#${topic.tag.zh}# ${fill(random.pick(topic.captions.zh), "zh", random)}。${fill(random.pick(topic.sentences.zh), "zh", random)}`,
      has_url: false,
      comments: tree.length,
      reposts: random.skewed(0, 400),
      likes: random.skewed(0, 5_000),
      pics: random.int(0, 9),
      source: "微博桌面",
      time: Math.floor(createdMs / 1000),
      label: "truth",
    });
  }
  return { posts, comments };
}

/**
 * @param {number} no
 * @param {string} postMid
 * @param {number} sinceMs
 * @param {string} key
 * @param {Random} random
 * @returns {object[]}
 */
function treeOf(no, postMid, sinceMs, key, random) {
  const topic = TOPICS.find((candidate) => candidate.key === key);
  /** @type {{ mid: string; parent: string; kids: string[]; date: string; [field: string]: unknown }[]} */
  const rows = [];
  const size = random.skewed(0, 40);
  for (let at = 0; at < size; at++) {
    const above = rows.length > 0 && random.chance(0.6) ? random.pick(rows) : undefined;
    const mid = `C${random.token(8)}`;
    above?.kids.push(mid);
    const afterMs = above === undefined ? sinceMs : Date.parse(`${above.date.replace(" ", "T")}+08:00`);
    rows.push({
      post_no: no,
      post_mid: postMid,
      mid,
      parent: above?.mid ?? "",
      uid: `26${random.digits(8)}`,
      text: above === undefined ? remark(topic, "zh", random) : random.pick(REPLIES.zh),
      date: wallTime(Math.min(FIXTURE_NOW_MS - 1000, afterMs + random.int(30_000, 5_400_000))),
      kids: [],
    });
  }
  return rows;
}
