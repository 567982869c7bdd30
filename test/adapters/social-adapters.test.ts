import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MICROBLOG_TREE } from "../../src/ingest/adapters/microblog/microblog-tree.js";
import { SAMPLE_SIZE, SampleComments } from "../../src/ingest/adapters/sample-comments.js";
import { SHORT_VIDEO_NATIVE } from "../../src/ingest/adapters/short-video/short-video-native.js";
import { DanmakuHistogram } from "../../src/ingest/adapters/video-community/danmaku-peak.js";
import { VIDEO_COMMUNITY } from "../../src/ingest/adapters/video-community/video-community.js";
import { convertValues, sortOut } from "./support.js";

const V1 = "7000000000000000001";
const V2 = "7000000000000000002";
const V3 = "7000000000000000003";

const app = {
  aweme_id: V1,
  desc: "Making tea at home \\ud83c\\udf75 #tea",
  desc_language: "en",
  create_time: 1700000000,
  author: { uid: "u1", sec_uid: "s1", unique_id: "ada", nickname: "Ada", follower_count: 0, aweme_count: 0 },
  cha_list: [{ cid: "9", cha_name: "tea", desc: "All about tea" }],
  text_extra: [{ hashtag_name: "tea" }, { hashtag_name: "" }],
  statistics: { digg_count: 10, comment_count: 2, share_count: 1, play_count: 100, collect_count: 3 },
  video: { duration: 15_499, cover: { url_list: ["https://media.example/1.jpg"] } },
  share_url: "https://short.example/1",
};
const web = {
  id: V2,
  desc: "",
  createTime: 1700000100,
  author: { id: "u1", secUid: "s1", uniqueId: "ada", nickname: "Ada", verified: true },
  challenges: [{ id: "9", title: "tea" }],
  stats: { diggCount: 5, commentCount: 0, shareCount: 0, playCount: 50 },
  video: { duration: 7, cover: "https://media.example/2.jpg" },
};
const topic = {
  itemInfos: {
    id: V3,
    text: "Té verde en casa, muy fácil",
    createTime: "1700000200",
    diggCount: 1,
    playCount: 9,
    video: { videoMeta: { duration: 8 } },
  },
  authorInfos: { userId: "u2", nickName: "Bea", uniqueId: "bea" },
  authorStats: { followerCount: 77, heartCount: "1200", videoCount: 4 },
  challengeInfoList: [{ challengeId: "9", challengeName: "tea" }],
};
const user = {
  user: { id: "u1", nickname: "Ada", signature: "I make tea" },
  stats: { followerCount: 500, heartCount: 9 },
};
const comment = (cid: string, text: string, likes: number, reply = "0") => ({
  cid,
  aweme_id: V1,
  text,
  digg_count: likes,
  create_time: 1700001000 + likes,
  reply_id: reply,
  ip_label: "Bath",
  is_hot: likes > 5,
  reply_comment_total: reply === "0" ? 1 : undefined,
  user: { uid: `user-${cid}`, nickname: "N", sec_uid: "s", unique_id: "" },
});

describe("native short video", () => {
  const rows = {
    video_lines: [app, web, { ...app, statistics: { digg_count: 11 } }],
    comment_lines: [
      comment("c1", "First!", 9),
      comment("c2", "", 3),
      comment("c3", "Me too", 1, "c1"),
      { cid: "c4" },
    ],
    list_answers: [topic, user, { what: "is this" }, 7],
  };

  it("makes records, raw videos, comments, creators and topics of every envelope's rows", async () => {
    const { records, raw, rejects, unused } = sortOut(await convertValues(SHORT_VIDEO_NATIVE, rows));
    expect(records.map(({ id }) => id)).toEqual([`soc_shv_${V1}`, `soc_shv_${V2}`, `soc_shv_${V3}`]);
    expect(records[0]).toMatchObject({
      lang: "en",
      text: "Making tea at home 🍵 #tea",
      metrics: { likes: 10, comments: 2, shares: 1, saves: 3, plays: 100 },
      comment_thread: ["First!"],
      extra: {
        video_dur_s: 15,
        topic: "tea",
        topics: ["tea"],
        source_id: V1,
        published_at: "2023-11-14T22:13:20+00:00",
      },
    });
    // Unfilled counts are no followers.
    expect(records[0]!.author).not.toHaveProperty("followers");
    expect(records[1]).toMatchObject({ lang: "und", metrics: { plays: 50 } });
    expect(records[2]).toMatchObject({ lang: "es", author: { followers: 77 } });

    const [video] = raw("video");
    expect(video).toMatchObject({
      id: V1,
      author: "u1",
      score: 100,
      created_at: "2023-11-14T22:13:20+00:00",
    });
    expect(video!.data).toMatchObject({
      author: { nickname: "Ada", uid: "u1", sec_uid: "s1", unique_id: "ada" },
    });
    expect(raw("comment")).toHaveLength(3);
    expect(raw("comment")[0]).toMatchObject({ id: "c1", parent: V1, author: "user-c1", score: 9 });
    expect(raw("comment")[0]!.data).toMatchObject({
      ip_location: "Bath",
      is_hot: true,
      reply_count: 1,
      images: [],
    });
    expect(raw("comment")[2]).toMatchObject({ id: "c3", reply_to: "c1" });
    expect(raw("creator").map(({ id, data }) => [id, data.followers, data.signature])).toEqual([
      ["u1", 500, "I make tea"],
      ["u2", 77, undefined],
    ]);
    expect(raw("topic").map(({ data }) => [data.name, data.sampled_works, data.description])).toEqual([
      ["tea", 3, "All about tea"],
    ]);
    expect(rejects.map(({ line, field }) => [line, field])).toEqual([
      [4, "aweme_id"],
      [3, ""],
      [4, ""],
    ]);
    expect(unused).toEqual([]);
  });

  it("comments without their video are raw items all the same", async () => {
    const { records, raw } = sortOut(
      await convertValues(SHORT_VIDEO_NATIVE, { comment_lines: [comment("c1", "x", 1)] }),
    );
    expect([records.length, raw("comment").length]).toEqual([0, 1]);
  });
});

describe("microblog trees", () => {
  const post = {
    mid: "P1",
    author_uid: "7",
    author_name: "empty",
    text: "新茶上市",
    time: "Sat Dec 29 21:22:06 +0800 2012",
    comments: 2,
    reposts: 1,
    likes: 0,
    label: "rumor",
  };
  const reply = (mid: string, date: string, text: string, parent = "", kids: string[] = []) => ({
    post_mid: "P1",
    mid,
    parent,
    uid: "u",
    text,
    date,
    kids,
  });

  it("keeps the tree, empty texts, and dates without a year", async () => {
    const rows = {
      posts: [post, { ...post, mid: "P2", time: 1371115350, author_name: { followers: 8, name: "茶友" } }],
      comments: [
        reply("C1", "2012-12-30 09:00:00", "好茶", "", ["C2"]),
        reply("C2", "01-02 08:30", "真的", "C1"),
        reply("C1", "2012-12-30 09:00:00", "好茶"),
        reply("C3", "12-31 23:59", ""),
        { ...reply("C4", "01-02 08:30", "x"), post_mid: "gone" },
        reply("C5", "tomorrow", "x"),
      ],
    };
    const { records, raw, rejects } = sortOut(await convertValues(MICROBLOG_TREE, rows));
    expect(records[0]).toMatchObject({
      id: "soc_mbl_P1",
      lang: "zh",
      metrics: { likes: 0, comments: 2, shares: 1 },
      comment_thread: ["好茶", "真的"],
      extra: { published_at: "2012-12-29T21:22:06+08:00", veracity: "rumor" },
    });
    expect(records[1]).toMatchObject({ author: { followers: 8 } });
    expect(raw("post")[1]!.data).toMatchObject({ author: { nickname: "茶友", uid: "7" } });
    const comments = raw("comment").toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(
      comments.map(({ id, reply_to, created_at, data }) => [id, reply_to, created_at, data.reply_count]),
    ).toEqual([
      ["C1", undefined, "2012-12-30T09:00:00+08:00", 1],
      ["C2", "C1", "2013-01-02T08:30:00+08:00", 0],
      ["C3", undefined, "2012-12-31T23:59:00+08:00", 0],
    ]);
    expect(comments[2]).toMatchObject({ lang: "zh", data: { text: "" } });
    expect(rejects.map(({ line, field, rows: n = 1 }) => [line, field, n])).toEqual([
      [6, "date", 1],
      [5, "date", 1],
    ]);
  });
});

describe("video community", () => {
  const meta = {
    content: "好听",
    username: "茶",
    time: "2024-07-30 21:42:40",
    ip_location: "日本",
    user_level: "6",
    likes: "12",
  };
  const rpid = { rpid: "99", username: "茶", content: "好听", likes: "10", date: "2024-07-30 21:42:40" };

  async function convert(rows: readonly (readonly [source: string, file: string, value: unknown])[]) {
    const grouped = rows.map(([source, file, value], i) => ({ source, file, line: i + 1, value }));
    const adapter = { ...VIDEO_COMMUNITY };
    async function* batches() {
      yield grouped;
    }
    const convertRows: typeof adapter.convert = (_, context) => VIDEO_COMMUNITY.convert(batches(), context);
    return sortOut(await convertValues({ ...adapter, convert: convertRows }, []));
  }

  it("makes one comment of what two files tell of it, and finds the densest seconds of danmaku", async () => {
    const danmaku = (video_time: string) =>
      [
        "danmaku",
        "danmaku_x.csv",
        {
          video_time,
          content: `d${video_time}`,
          real_time: "2024-07-29 20:06:12",
          user_hash: "ab",
          predicted_label_id: "5",
        },
      ] as const;
    const { records, raw, rejects } = await convert([
      ["labelled", "labeled_comments.csv", { content: "赢了", label: "7" }],
      ["labelled", "labeled_comments.csv", { content: "", label: "7" }],
      ["comments", "a/comments_BV1_meta.csv", meta],
      ["comments", "a/comments_BV1_meta.csv", { ...meta, content: "只在这里" }],
      ["comments", "a/comments_BV1_rpid.csv", rpid],
      ["comments", "a/other.csv", rpid],
      danmaku("3.5"),
      danmaku("41.0"),
      danmaku("44.2"),
      danmaku("50.9"),
      ["danmaku", "danmaku_x.csv", { video_time: "soon", content: "x" }],
    ]);
    expect(
      raw("comment").map(({ id, parent, score, data }) => [id, parent, score, data.ip_location]),
    ).toEqual(
      expect.arrayContaining([
        ["99", "BV1", 12, "日本"],
        [expect.stringMatching(/^[0-9a-f]{32}$/), "BV1", 12, "日本"],
      ]),
    );
    expect(raw("comment")).toHaveLength(2);
    const video = records.find(({ id }) => id === "soc_vcm_BV1");
    expect(video).toMatchObject({ metrics: { comments: 2, danmaku: 4 }, extra: { danmaku_peak_s: 41 } });
    expect(records.find(({ text }) => text === "赢了")).toMatchObject({
      extra: { emotion: "surprise", emotion_id: 7 },
    });
    expect(raw("danmaku")[0]).toMatchObject({ parent: "BV1", offset_s: 3.5, data: { emotion: "positive" } });
    expect(rejects.map(({ line, field }) => [line, field])).toEqual([
      [2, "content"],
      [6, ""],
      [11, "video_time"],
    ]);
  });

  it("refuses danmaku that could be of several videos", async () => {
    const { raw, rejects } = await convert([
      ["comments", "comments_BV1_meta.csv", meta],
      ["comments", "comments_BV2_meta.csv", meta],
      ["danmaku", "danmaku.csv", { video_time: "1", content: "?" }],
      ["danmaku", "danmaku.csv", { video_time: "1", content: "!", video_id: "BV2" }],
    ]);
    expect(raw("danmaku").map(({ parent }) => parent)).toEqual(["BV2"]);
    expect(rejects).toMatchObject([{ line: 3, reason: expect.stringMatching(/names no video/) }]);
  });

  it("the peak is where the most danmaku fall into ten seconds", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 80 }), (offsets) => {
        const histogram = new DanmakuHistogram();
        for (const offset of offsets) histogram.add(offset + 0.5);
        const within = (start: number) => offsets.filter((o) => o >= start && o < start + 10).length;
        const most = Math.max(...offsets.map(within));
        expect(histogram.peak()).toBe(Math.min(...offsets.filter((o) => within(o) === most)));
      }),
    );
    expect(new DanmakuHistogram().peak()).toBeUndefined();
  });
});

describe("sample comments", () => {
  it("are the best, in the same order whatever order they come in", () => {
    const candidate = fc.record({
      text: fc.string({ maxLength: 2 }),
      rank: fc.integer({ min: 0, max: 3 }),
      at: fc.constantFrom(
        "2024-01-01T00:00:00+00:00",
        "2024-01-01T08:00:00+08:00",
        "2024-01-02T00:00:00+00:00",
      ),
    });
    const texts = fc.uniqueArray(candidate, { selector: ({ text }) => text, maxLength: 20 });
    fc.assert(
      fc.property(texts, (candidates) => {
        const pick = (list: typeof candidates) => {
          const sample = new SampleComments();
          for (const one of list) sample.add(one);
          return sample.texts();
        };
        const picked = pick(candidates);
        expect(pick(candidates.toReversed())).toEqual(picked);
        const shown = candidates.filter(({ text }) => text !== "").length;
        expect(picked?.length ?? 0).toBe(Math.min(SAMPLE_SIZE, shown));
      }),
    );
  });
});
