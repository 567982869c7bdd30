import { FieldError } from "../../values/field-error.js";
import { unescapeUnicode } from "../../values/text.js";
import { Fields } from "../row-fields.js";

/** A video in the form common to all of the platform's shapes. */
export interface NativeVideo {
  readonly id: string;
  readonly text: string;
  readonly lang?: string | undefined;
  readonly createdAt: string;
  readonly durationS?: number | undefined;
  readonly cover?: string | undefined;
  readonly url?: string | undefined;
  readonly creator: NativeCreator;
  readonly topics: readonly NativeTopic[];
  readonly hashtags: readonly string[];
  readonly metrics: {
    readonly likes?: number | undefined;
    readonly comments?: number | undefined;
    readonly shares?: number | undefined;
    readonly saves?: number | undefined;
    readonly plays?: number | undefined;
  };
}

/** An account. */
export interface NativeCreator {
  readonly uid: string;
  readonly nickname?: string | undefined;
  readonly secUid?: string | undefined;
  readonly uniqueId?: string | undefined;
  readonly signature?: string | undefined;
  readonly verified?: boolean | undefined;
  readonly region?: string | undefined;
  readonly avatar?: string | undefined;
  readonly followers?: number | undefined;
  readonly following?: number | undefined;
  readonly likes?: number | undefined;
  readonly works?: number | undefined;
}

/** A challenge or hashtag with an id. */
export interface NativeTopic {
  readonly id: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly cover?: string | undefined;
}

/** A comment or reply. */
export interface NativeComment {
  readonly cid: string;
  readonly videoId: string;
  readonly replyTo?: string | undefined;
  readonly text: string;
  readonly likes: number;
  readonly replies: number;
  readonly location: string;
  readonly createdAt: string;
  readonly hot: boolean;
  readonly images: readonly unknown[];
  readonly author: NativeCreator;
}

/** Parsed row of a native answer. */
export type NativeRow =
  | { readonly kind: "video"; readonly video: NativeVideo }
  | { readonly kind: "comment"; readonly comment: NativeComment }
  | { readonly kind: "creator"; readonly creator: NativeCreator };

const SECONDS = ["epoch_s"];

function caption(fields: Fields, ...paths: readonly string[]): string {
  return unescapeUnicode(fields.text(...paths) ?? "");
}

/** Drops `0` and `un`, the platform's codes for an unknown language. */
function language(code: string | undefined): string | undefined {
  return code !== undefined && /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(code) && code !== "un"
    ? code
    : undefined;
}

function created(fields: Fields, path: string): string {
  const at = fields.time(path, SECONDS);
  if (at === undefined) throw new FieldError(path, "is missing");
  return at;
}

function topics(
  list: readonly unknown[],
  id: string,
  name: string,
  description: string,
  cover: string,
): NativeTopic[] {
  return list.flatMap((item) => {
    const fields = new Fields(item);
    const topic = { id: fields.text(id), name: fields.text(name) };
    if (topic.id === undefined || topic.name === undefined) return [];
    return [
      { id: topic.id, name: topic.name, description: fields.text(description), cover: fields.text(cover) },
    ];
  });
}

/** The app's shape of an account: `uid`, `sec_uid`, `follower_count`, … In other answers its counts are unfilled zeros. */
function appCreator(value: unknown): NativeCreator {
  const fields = new Fields(value);
  const filled = (path: string) => fields.count(path) || undefined;
  return {
    uid: fields.need("uid"),
    nickname: fields.text("nickname"),
    secUid: fields.text("sec_uid"),
    uniqueId: fields.text("unique_id"),
    signature: fields.text("signature"),
    region: fields.text("region"),
    avatar: fields.text("avatar_larger.url_list[0]", "avatar_thumb.url_list[0]"),
    followers: filled("follower_count"),
    following: filled("following_count"),
    likes: filled("total_favorited"),
    works: filled("aweme_count"),
  };
}

/** The website's shape of an account: `id`, `secUid`, with `stats` beside it if given. */
function webCreator(value: unknown, stats: unknown): NativeCreator {
  const fields = new Fields(value);
  const counts = new Fields(stats ?? {});
  return {
    uid: fields.need("id", "userId"),
    nickname: fields.text("nickname", "nickName"),
    secUid: fields.text("secUid"),
    uniqueId: fields.text("uniqueId"),
    signature: caption(fields, "signature") || undefined,
    verified: fields.flag("verified"),
    avatar: fields.text("avatarLarger", "coversLarger[0]", "covers[0]"),
    followers: counts.count("followerCount"),
    following: counts.count("followingCount"),
    likes: counts.count("heart", "heartCount"),
    works: counts.count("videoCount"),
  };
}

/** A video in the app's shape (`aweme_id`). Its duration is in milliseconds. */
function appVideo(fields: Fields): NativeVideo {
  const durationMs = fields.number("video.duration", "duration");
  return {
    id: fields.need("aweme_id"),
    text: caption(fields, "desc"),
    lang: language(fields.text("desc_language")),
    createdAt: created(fields, "create_time"),
    durationS: durationMs === undefined ? undefined : Math.round(durationMs / 1000),
    cover: fields.text("video.cover.url_list[0]", "video.origin_cover.url_list[0]"),
    url: fields.text("share_url", "share_info.share_url"),
    creator: appCreator(fields.value("author")),
    topics: topics(fields.list("cha_list"), "cid", "cha_name", "desc", "cover_photo"),
    hashtags: fields.texts("text_extra[].hashtag_name"),
    metrics: {
      likes: fields.count("statistics.digg_count"),
      comments: fields.count("statistics.comment_count"),
      shares: fields.count("statistics.share_count"),
      saves: fields.count("statistics.collect_count"),
      plays: fields.count("statistics.play_count"),
    },
  };
}

/** A video in the website's shape (`id`, `stats`). Its duration is in seconds. */
function webVideo(fields: Fields): NativeVideo {
  return {
    id: fields.need("id"),
    text: caption(fields, "desc"),
    createdAt: created(fields, "createTime"),
    durationS: fields.count("video.duration"),
    cover: fields.text("video.cover", "video.originCover"),
    creator: webCreator(fields.value("author"), fields.value("authorStats")),
    topics: topics(fields.list("challenges"), "id", "title", "desc", "coverLarger"),
    hashtags: fields.texts("textExtra[].hashtagName"),
    metrics: {
      likes: fields.count("stats.diggCount"),
      comments: fields.count("stats.commentCount"),
      shares: fields.count("stats.shareCount"),
      saves: fields.count("stats.collectCount"),
      plays: fields.count("stats.playCount"),
    },
  };
}

/** A video of a topic's list on the website (`itemInfos`, `authorInfos`). */
function topicVideo(fields: Fields): NativeVideo {
  return {
    id: fields.need("itemInfos.id"),
    text: caption(fields, "itemInfos.text"),
    createdAt: created(fields, "itemInfos.createTime"),
    durationS: fields.count("itemInfos.video.videoMeta.duration"),
    cover: fields.text("itemInfos.coversOrigin[0]", "itemInfos.covers[0]"),
    creator: webCreator(fields.value("authorInfos"), fields.value("authorStats")),
    topics: topics(
      fields.list("challengeInfoList"),
      "challengeId",
      "challengeName",
      "text",
      "coversLarger[0]",
    ),
    hashtags: fields.texts("textExtra[].HashtagName"),
    metrics: {
      likes: fields.count("itemInfos.diggCount"),
      comments: fields.count("itemInfos.commentCount"),
      shares: fields.count("itemInfos.shareCount"),
      plays: fields.count("itemInfos.playCount"),
    },
  };
}

/** A comment or reply. `reply_id` is the top-level comment of a reply, and `"0"` for a top-level comment. */
function comment(fields: Fields): NativeComment {
  const replyTo = fields.text("reply_id");
  return {
    cid: fields.need("cid"),
    videoId: fields.need("aweme_id"),
    replyTo: replyTo === "0" ? undefined : replyTo,
    text: fields.text("text") ?? "",
    likes: fields.count("digg_count") ?? 0,
    replies: fields.count("reply_comment_total") ?? 0,
    // The app states where a comment was sent from; the international edition has only the account's region.
    location: fields.text("ip_label", "user.region") ?? "",
    createdAt: created(fields, "create_time"),
    hot: fields.flag("is_hot") ?? false,
    images: fields.list("image_list"),
    author: appCreator(fields.value("user")),
  };
}

/**
 * Reads one row of a native answer, in any of the known shapes.
 * @throws FieldError for an unknown shape, or a field that does not fit
 */
export function readNativeRow(value: unknown): NativeRow {
  const fields = new Fields(value);
  if (fields.value("cid") !== undefined) return { kind: "comment", comment: comment(fields) };
  if (fields.value("aweme_id") !== undefined) return { kind: "video", video: appVideo(fields) };
  if (fields.value("itemInfos") !== undefined) return { kind: "video", video: topicVideo(fields) };
  if (fields.value("user") !== undefined) {
    return { kind: "creator", creator: webCreator(fields.value("user"), fields.value("stats")) };
  }
  if (fields.value("id") !== undefined && fields.value("author") !== undefined) {
    return { kind: "video", video: webVideo(fields) };
  }
  throw new FieldError("", "is no video, comment or account in a shape that is known");
}
