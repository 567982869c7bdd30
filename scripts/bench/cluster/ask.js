import { tell, timesOf } from "./meter.js";

/** @import { LakeClient } from "mirrorlake" */

/** Records that an answer brings. */
const LIMIT = 20;
/** Rows of a page of a list. */
const PAGE = 50;
const MODES = /** @type {const} */ (["keyword", "semantic", "hybrid"]);

/** What every lake answers, in both dialects. */
const AGGREGATE = `SELECT platform, lang, count(*) AS n, avg(metrics_likes) AS likes, max(price_current) AS dearest
  FROM records GROUP BY platform, lang ORDER BY platform, lang`;

/** What calls are made with, the same for each lake of the same data. @typedef {Awaited<ReturnType<typeof callsOf>>} Calls */

/**
 * Questions of the records' own words, some words of a record each, evenly over the lake; ids; and videos with comments.
 * @param {LakeClient} client
 * @param {number} count
 */
export async function callsOf(client, count) {
  const { corpus } = client.lake;
  const step = corpus.rowCount / count;
  const records = await corpus.records(Array.from({ length: count }, (_, n) => Math.floor(n * step)));
  const questions = records.map(({ title, text, review_sample: reviews }, n) => {
    const words = `${title ?? ""} ${text ?? reviews?.[0] ?? ""}`.split(/\s+/).filter((word) => word !== "");
    const first = (n * 7) % Math.max(1, words.length - 4);
    const some = words.slice(first, first + 1 + (n % 5)).join(" ");
    return some.slice(0, 200) || "a";
  });
  /** @param {string} view */
  const someOf = async (view) => {
    const rows = await client.sql(
      `SELECT item_id FROM ${view} WHERE platform = 'short-video' GROUP BY item_id ORDER BY item_id`,
    );
    return Array.from({ length: count }, (_, n) =>
      String(rows[Math.floor((n * rows.length) / count)].item_id),
    );
  };
  const [videos, commented] = [await someOf("videos"), await someOf("comments")];
  return { questions, ids: records.map(({ id }) => id), videos, commented };
}

/**
 * Times the calls of a lake.
 * @param {string} name
 * @param {LakeClient} client
 * @param {Calls} calls
 * @param {readonly number[]} pids of the servers
 */
export async function ask(name, client, { questions, ids, videos, commented }, pids) {
  const { corpus, index } = client.lake;
  for (const mode of MODES) {
    /** @param {number} n */
    const search = async (n) => {
      const { rows } = await index.rank(questions[n], corpus.match({}), { limit: LIMIT, mode });
      await corpus.records(rows);
    };
    await search(0); // what is loaded once
    tell(`${name}: ${mode}, ${LIMIT} full records`, await timesOf(questions.length, pids, search));
  }
  tell(`${name}: row of an id`, await timesOf(ids.length, pids, (n) => corpus.recordRow(ids[n])));
  /** @param {number} n */
  const raw = async (n) => {
    const { data } = await client.raw("short-video", "video", { item_id: videos[n] });
    if (data === null) throw new Error(`the video ${videos[n]} is not found`);
  };
  tell(`${name}: raw look-up`, await timesOf(videos.length, pids, raw));
  /** @param {number} n */
  const comments = async (n) => {
    const { data } = await client.raw("short-video", "comments", { item_id: commented[n] });
    if (data === null) throw new Error(`the comments of ${commented[n]} are not found`);
  };
  tell(`${name}: comments page`, await timesOf(commented.length, pids, comments));
  tell(`${name}: SQL aggregate over all records`, await timesOf(20, pids, () => client.sql(AGGREGATE)));
  /** @param {number} n */
  const page = (n) =>
    corpus.recordsPage({ orderBy: "likes", descending: true, offset: n * PAGE, limit: PAGE });
  tell(`${name}: page of ${PAGE} rows by likes`, await timesOf(20, pids, page));
}
