import { omitUndefined } from "../../../contract/omit-undefined.js";
import type { Platform } from "../../../contract/service/platforms.js";
import type { RawVideo } from "../../../contract/service/raw.js";
import type { StoredRecord } from "../../../contract/service/unified-record.js";
import type { RawItem } from "../../../contract/slice/slice-item.js";
import { buildRaw } from "../../mapping/build-raw.js";
import { buildRecord, withOwnHash } from "../../mapping/build-record.js";
import type { Run } from "../../mapping/run.js";
import { authorHash } from "../../values/author-hash.js";
import { detectLanguage } from "../../values/language/detect-language.js";
import type { NativeComment, NativeCreator, NativeTopic, NativeVideo } from "./native-shapes.js";

const SOURCE = "native short-video API";

/** State shared by all items of one conversion. */
export interface Conversion {
  readonly run: Run;
  readonly platform: Platform;
}

function textLanguage(text: string, run: Run): string {
  return run.language ?? detectLanguage(text);
}

/** Raw comment (service.md section 2.5). */
export function rawComment(comment: NativeComment, { run, platform }: Conversion): RawItem {
  const { author } = comment;
  return buildRaw({
    platform: platform.slug,
    resource: "comment",
    id: comment.cid,
    parent: comment.videoId,
    reply_to: comment.replyTo,
    author: author.uid,
    lang: textLanguage(comment.text, run),
    captured_at: run.capturedAt(undefined),
    created_at: comment.createdAt,
    score: comment.likes,
    data: {
      cid: comment.cid,
      text: comment.text,
      likes: comment.likes,
      ip_location: comment.location,
      reply_count: comment.replies,
      created_at: comment.createdAt,
      is_hot: comment.hot,
      images: comment.images,
      author: {
        uid_hash: authorHash(author.uid, run.authorSalt),
        nickname: author.nickname ?? "",
        uid: author.uid,
        sec_uid: author.secUid ?? "",
        unique_id: author.uniqueId ?? null,
      },
    },
  });
}

/** Unified record of a video, with its sample comments. */
export function videoRecord(
  video: NativeVideo,
  thread: string[] | undefined,
  { run, platform }: Conversion,
): StoredRecord {
  const topics = [...new Set([...video.topics.map(({ name }) => name), ...video.hashtags])];
  return buildRecord(
    {
      id: video.id,
      lang: run.language ?? video.lang ?? detectLanguage(video.text),
      text: video.text,
      author: {
        uid_hash: authorHash(video.creator.uid, run.authorSalt),
        followers: video.creator.followers,
      },
      metrics: video.metrics as RawVideo["metrics"],
      comment_thread: thread,
      extra: omitUndefined({
        video_dur_s: video.durationS,
        topic: topics[0],
        topics: topics[0] === undefined ? undefined : topics,
        source_id: video.id,
        published_at: video.createdAt,
        content_type: "video",
        cover_url: video.cover,
        url: video.url,
      }),
    },
    platform,
    run.capturedAt(undefined),
  );
}

/** Raw video (service.md section 2.4) of a video whose record is given. */
export function rawVideo(video: NativeVideo, record: StoredRecord): RawItem {
  const { id, src, platform, lang, metrics, extra, prov } = record;
  const { creator } = video;
  return buildRaw({
    platform,
    resource: "video",
    id: video.id,
    author: creator.uid,
    lang,
    captured_at: prov.ts,
    created_at: video.createdAt,
    score: video.metrics.plays ?? video.metrics.likes ?? 0,
    data: withOwnHash({
      id,
      src,
      platform,
      lang,
      text: record.text ?? "",
      author: {
        ...record.author,
        nickname: creator.nickname,
        uid: creator.uid,
        sec_uid: creator.secUid,
        unique_id: creator.uniqueId,
      },
      metrics,
      extra,
      prov: { ...prov, source: SOURCE },
    }),
  });
}

/** Raw creator. */
export function rawCreator(creator: NativeCreator, { run, platform }: Conversion): RawItem {
  return buildRaw({
    platform: platform.slug,
    resource: "creator",
    id: creator.uid,
    author: creator.uid,
    lang: textLanguage(creator.signature ?? "", run),
    captured_at: run.capturedAt(undefined),
    score: creator.followers ?? 0,
    data: {
      creator_id: creator.uid,
      uid_hash: authorHash(creator.uid, run.authorSalt),
      nickname: creator.nickname,
      sec_uid: creator.secUid,
      unique_id: creator.uniqueId,
      signature: creator.signature,
      verified: creator.verified,
      region: creator.region,
      avatar_url: creator.avatar,
      followers: creator.followers,
      following: creator.following,
      likes: creator.likes,
      works: creator.works,
    },
  });
}

/** Raw topic; `works` is the number of its videos in the input. */
export function rawTopic(topic: NativeTopic, works: number, { run, platform }: Conversion): RawItem {
  return buildRaw({
    platform: platform.slug,
    resource: "topic",
    id: topic.id,
    lang: textLanguage(topic.description ?? topic.name, run),
    captured_at: run.capturedAt(undefined),
    score: works,
    data: {
      id: topic.id,
      name: topic.name,
      description: topic.description,
      cover_url: topic.cover,
      sampled_works: works,
    },
  });
}
