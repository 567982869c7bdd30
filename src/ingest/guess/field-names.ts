import type { Profile } from "./profile.js";

/** A target of a mapping, the names that sources give it, and what its values have to be. */
export interface Target {
  readonly field: string;
  /** Names in lower case without separators, likeliest first. */
  readonly names: readonly string[];
  readonly fits: (profile: Profile) => boolean;
}

/** Texts that few rows have are not those of the rows. */
const isText = ({ kind, filled }: Profile) => kind === "text" && filled >= 0.5;
const isCount = ({ counts, time }: Profile) => counts && time !== "epoch_ms";
/** A score is of votes or of stars, which its numbers show. */
const isScore = ({ name, stars }: Profile) => SCORES.has(name) && stars;
const SCORES: ReadonlySet<string> = new Set(["score", "points", "votes"]);
const isNumber = ({ kind }: Profile) => kind === "number";
const isPrice = ({ kind, price }: Profile) => kind === "number" || price !== undefined;

/** Fields that a guess looks for by name, in the order of choice: a path is used once. */
export const TARGETS: readonly Target[] = [
  {
    field: "title",
    names: [
      "title",
      "headline",
      "productname",
      "product",
      "subject",
      "name",
      "judul",
      "titulo",
      "producto",
      "nombre",
      "titre",
      "título",
      "tytuł",
      "nazwa",
      "название",
      "назва",
      "заголовок",
      "标题",
      "商品名",
      "タイトル",
      "제목",
      "상품명",
      "商品名称",
      "名称",
      "наименование",
    ],
    fits: isText,
  },
  {
    field: "text",
    names: [
      "text",
      "body",
      "bodyhtml",
      "content",
      "fulltext",
      "comment",
      "comments",
      "review",
      "reviewtext",
      "message",
      "selftext",
      "description",
      "caption",
      "summary",
      "sentence",
      "extract",
      "context",
      "passage",
      "ulasan",
      "texto",
      "texte",
      "tekst",
      "treść",
      "текст",
      "内容",
      "评论",
      "本文",
      "내용",
      "댓글",
      "리뷰",
      "후기",
      "レビュー",
      "отзыв",
      "описание",
      "描述",
    ],
    fits: isText,
  },
  {
    field: "metrics.likes",
    names: [
      "likes",
      "likecount",
      "likescount",
      "diggcount",
      "upvotes",
      "ups",
      "score",
      "points",
      "favoritecount",
      "favorites",
      "attitudescount",
      "hearts",
      "votes",
      "thumbsupcount",
      "thumbsup",
    ],
    fits: (profile) => isCount(profile) && !isScore(profile),
  },
  {
    field: "metrics.comments",
    names: [
      "comments",
      "commentcount",
      "commentscount",
      "numcomments",
      "replycount",
      "replies",
      "descendants",
      "responses",
    ],
    fits: isCount,
  },
  {
    field: "metrics.shares",
    names: [
      "shares",
      "sharecount",
      "sharescount",
      "retweets",
      "retweetcount",
      "reposts",
      "repostscount",
      "repostcount",
      "forwards",
    ],
    fits: isCount,
  },
  { field: "metrics.plays", names: ["plays", "playcount", "videoviews"], fits: isCount },
  {
    field: "metrics.views",
    names: ["views", "viewcount", "viewed", "viewedcount", "impressions", "reads"],
    fits: isCount,
  },
  {
    field: "metrics.rating",
    names: [
      "rating",
      "stars",
      "overall",
      "ratingvalue",
      "averagerating",
      "reviewrating",
      "평점",
      "별점",
      "评分",
      "評価",
      "рейтинг",
      "оценка",
      "score",
      "points",
    ],
    fits: (profile) => isNumber(profile) && (isScore(profile) || !SCORES.has(profile.name)),
  },
  {
    field: "metrics.reviews",
    names: ["reviews", "reviewcount", "reviewscount", "numreviews", "numberofreviews", "ratingcount"],
    fits: isCount,
  },
  { field: "metrics.sold", names: ["sold", "unitssold", "historicalsold", "soldcount"], fits: isCount },
  {
    field: "price.current",
    names: [
      "price",
      "currentprice",
      "saleprice",
      "finalprice",
      "amount",
      "precio",
      "harga",
      "prix",
      "preis",
      "价格",
      "価格",
      "가격",
      "cena",
      "preço",
      "preco",
      "цена",
      "ціна",
      "fiyat",
      "giá",
      "मूल्य",
      "pricecents",
      "pricecent",
      "priceincents",
      "pricepence",
      "amountcents",
      "amountincents",
    ],
    fits: isPrice,
  },
  { field: "price.currency", names: ["currency", "currencycode", "pricecurrency"], fits: isText },
];

/** Ends of names of prices that count hundredths of the currency: `price_cents`, `amount_in_cents`. */
export const HUNDREDTHS = /(?:cent|cents|pence|penny)$/;

/** Names that say something only as the whole name of a field: a `popularity score` is no number of likes. */
export const WHOLE_NAMES: ReadonlySet<string> = new Set(["score", "points", "votes", "ups"]);
