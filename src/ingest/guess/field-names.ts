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

/** Further names in other languages than English, by the field: as sheets of scrapers and shops have them. */
const OTHERS: Readonly<Record<string, string>> = {
  title:
    "商品标题 제목명 العنوان ชื่อสินค้า ชื่อเรื่อง tênsảnphẩm tiêuđề namaproduk nombredelproducto nomedoproduto शीर्षक " +
    "titel produktname ürünadı başlık",
  text:
    "正文 口コミ 感想 текстотзыва комментарий المراجعة النص التعليق รีวิว ความคิดเห็น bìnhluận nộidung comentario comentário " +
    "commentaire kommentar reseña opinión opinião avis yorum समीक्षा टिप्पणी",
  "metrics.likes":
    "点赞数 点赞量 点赞 赞数 赞 获赞数 喜欢数 赞同数 좋아요 좋아요수 추천수 공감수 いいね いいね数 高評価数 лайки лайков " +
    "megusta curtidas jaime polubienia beğeni lượtthích الإعجابات ถูกใจ",
  "metrics.comments":
    "评论数 评论量 回复数 回复量 留言数 댓글수 コメント数 返信数 комментарии комментариев comentarios comentários commentaires",
  "metrics.shares":
    "转发数 转发量 转发 分享数 分享量 공유수 シェア数 リツイート数 репосты репостов compartidos compartilhamentos partages",
  "metrics.plays": "播放量 播放数 播放次数 再生数 再生回数 재생수",
  "metrics.views":
    "浏览量 浏览数 阅读数 阅读量 观看数 조회수 조회 閲覧数 表示回数 просмотры просмотров visualizaciones visualizações vistas " +
    "vues wyświetlenia lượtxem المشاهدات",
  "metrics.saves": "收藏数 收藏量 收藏 保存数 ブックマーク数",
  "metrics.danmaku": "弹幕数 弹幕量",
  "metrics.coins": "投币数 硬币数",
  "metrics.rating":
    "得分 星级 calificación puntuación valoración avaliação note bewertung ocena đánhgiá penilaian التقييم คะแนน रेटिंग puan",
  "metrics.reviews":
    "评价数 评价人数 评分人数 리뷰수 レビュー件数 レビュー数 口コミ数 отзывы отзывов reseñas avaliações jumlahulasan sốđánhgiá",
  "metrics.sold":
    "销量 月销量 总销量 已售 付款人数 판매량 販売数 vendidos vendas terjual đãbán ขายแล้ว продано",
  "price.current": "售价 现价 到手价 판매가 최저가 السعر ราคา कीमत",
  "price.currency": "币种 货币 通貨 통화 валюта moneda moeda devise währung",
};

const OWN_TARGETS: readonly Target[] = [
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
      "likesnumber",
      "numpoints",
      "votesup",
      "voteupcount",
      "like",
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
      "repliesnumber",
      "reply",
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
      "share",
    ],
    fits: isCount,
  },
  { field: "metrics.plays", names: ["plays", "playcount", "videoviews"], fits: isCount },
  {
    field: "metrics.views",
    names: ["views", "viewcount", "viewed", "viewedcount", "impressions", "reads", "view"],
    fits: isCount,
  },
  {
    field: "metrics.saves",
    names: ["saves", "savecount", "bookmarks", "bookmarkcount", "collectcount", "collectedcount", "favorite"],
    fits: isCount,
  },
  { field: "metrics.danmaku", names: ["danmaku", "danmakucount", "videodanmaku"], fits: isCount },
  { field: "metrics.coins", names: ["coincount", "coin"], fits: isCount },
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
      "lprice",
    ],
    fits: isPrice,
  },
  { field: "price.currency", names: ["currency", "currencycode", "pricecurrency"], fits: isText },
];

/** Fields that a guess looks for by name, in the order of choice: a path is used once. */
export const TARGETS: readonly Target[] = OWN_TARGETS.map((target) => {
  const others = OTHERS[target.field];
  return others === undefined ? target : { ...target, names: [...target.names, ...others.split(" ")] };
});

/** Ends of names of prices that count hundredths of the currency: `price_cents`, `amount_in_cents`. */
export const HUNDREDTHS = /(?:cent|cents|pence|penny)$/;

/** Names that say something only as the whole name of a field: a `popularity score` is no number of likes. */
export const WHOLE_NAMES: ReadonlySet<string> = new Set(["score", "points", "votes", "ups"]);
