/** Months of capture that the records are spread over. */
export const MONTHS = /** @type {const} */ (["2026-03", "2026-04", "2026-05"]);

/** Platforms of the records, a quarter each. */
export const PLATFORMS = /** @type {const} */ ([
  "microblog",
  "short-video",
  "sea-marketplace",
  "global-news",
]);

const author = { path: "uid", author_hash: true };
const social = {
  text: "text",
  "author.uid_hash": author,
  "author.followers": "followers",
  "metrics.likes": "likes",
  "metrics.comments": "comments",
};
const FIELDS = /** @type {const} */ ({
  microblog: social,
  "short-video": { ...social, "metrics.plays": "plays" },
  "sea-marketplace": {
    title: "text",
    "price.current": "price",
    "price.currency": { value: "IDR" },
    "metrics.rating": "rating",
    "metrics.sold": "plays",
  },
  "global-news": { title: "text", "sentiment.score": "score", "sentiment.label": "label" },
});

/** How the generated rows become records with vectors, videos and comments. */
export const MAPPING = {
  mapping: 1,
  name: "million",
  info: {
    title: "Generated records",
    licence: "CC-BY-SA-4.0",
    attribution: "Sentences of XQuAD (google-deepmind/xquad)",
    vectorModel: "generated-256",
  },
  sources: [
    { name: "posts", files: ["posts-*.parquet"] },
    { name: "comments", files: ["comments.jsonl"] },
  ],
  defaults: { captured_at: { path: "captured_at", time: "iso" } },
  rules: [
    ...PLATFORMS.map((platform) => ({
      from: "posts",
      when: [{ path: "platform", is: platform }],
      record: { platform, id: "id", lang: "lang", fields: FIELDS[platform], vector: { path: "vector" } },
      ...(platform === "short-video"
        ? {
            raw: [
              {
                resource: "video",
                id: "id",
                base: "record",
                score: "plays",
                data: { "extra.source_id": "id" },
              },
            ],
          }
        : {}),
    })),
    {
      from: "comments",
      raw: [
        {
          platform: "short-video",
          resource: "comment",
          id: "cid",
          parent: "video",
          author,
          lang: "lang",
          created_at: "created_at",
          score: "likes",
          data: {
            cid: "cid",
            text: "text",
            likes: "likes",
            ip_location: { value: "", keep_empty: true },
            reply_count: { value: 0 },
            created_at: { path: "created_at", time: "iso" },
            is_hot: { value: false },
            images: { value: [] },
            "author.uid_hash": author,
            "author.nickname": "nickname",
            "author.uid": "uid",
            "author.sec_uid": "uid",
            "author.unique_id": "nickname",
          },
        },
      ],
    },
  ],
};
