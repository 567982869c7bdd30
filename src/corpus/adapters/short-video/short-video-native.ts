import type { Platform } from "../../../contract/platforms.js";
import type { RawVideo } from "../../../contract/raw.js";
import type { StoredRecord } from "../../../contract/records.js";
import type { RawItem, SliceItem } from "../../../contract/slice-item.js";
import { authorHash } from "../../mapping/author-hash.js";
import { buildRaw } from "../../mapping/build-raw.js";
import { buildRecord, platformsBySlug } from "../../mapping/build-record.js";
import { ExternalSort } from "../../mapping/external-sort.js";
import { detectLanguage } from "../../mapping/language/detect-language.js";
import { type Run, startRun } from "../../mapping/run.js";
import type { Adapter } from "../adapter.js";
import { convertRows } from "../convert-rows.js";
import { foldGroups, type GroupFold, type Origin } from "../fold-groups.js";
import { type SampleCandidate, SampleComments } from "../sample-comments.js";
import { type NativeComment, type NativeCreator, type NativeVideo, readNativeRow } from "./native-shapes.js";

const SHORT_VIDEO = "short-video";
const SOURCE = "native short-video API";

/** What rows leave for a video: a version of it, or a comment to choose from. */
type VideoEntry =
  | { readonly video: NativeVideo; readonly origin: Origin }
  | { readonly comment: SampleCandidate };

/** What videos and accounts leave for a creator or topic. */
type CatalogueEntry =
  | { readonly creator: NativeCreator; readonly origin: Origin; readonly rows: number }
  | { readonly topic: NativeVideo["topics"][number]; readonly origin: Origin };

/** What all items of one conversion share. */
interface Conversion {
  readonly run: Run;
  readonly platform: Platform;
}

/** Fields of the first, then those of the others that it lacks. */
function merge<T extends object>(first: T, second: T): T {
  const told = Object.entries(first).filter(([, value]) => value !== undefined);
  return { ...second, ...(Object.fromEntries(told) as T) };
}

function textLanguage(text: string, run: Run): string {
  return run.language ?? detectLanguage(text);
}

function rawComment(comment: NativeComment, { run, platform }: Conversion): RawItem {
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

function videoRecord(
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
        ...(video.creator.followers === undefined ? {} : { followers: video.creator.followers }),
      },
      metrics: video.metrics as RawVideo["metrics"],
      ...(thread === undefined ? {} : { comment_thread: thread }),
      extra: {
        ...(video.durationS === undefined ? {} : { video_dur_s: video.durationS }),
        ...(topics[0] === undefined ? {} : { topic: topics[0], topics }),
        source_id: video.id,
        published_at: video.createdAt,
        content_type: "video",
        ...(video.cover === undefined ? {} : { cover_url: video.cover }),
        ...(video.url === undefined ? {} : { url: video.url }),
      },
    },
    platform,
    run.capturedAt(undefined),
  );
}

function rawVideo(video: NativeVideo, record: StoredRecord): RawItem {
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
    data: {
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
    },
  });
}

function rawCreator(creator: NativeCreator, { run, platform }: Conversion): RawItem {
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

/** Versions of one video, the first found first, and the best of its comments. */
class VideoFold implements GroupFold<VideoEntry> {
  origin: Origin | undefined;
  rows = 0;
  #video: NativeVideo | undefined;
  readonly #comments = new SampleComments();
  readonly #conversion: Conversion;
  readonly #catalogue: ExternalSort<CatalogueEntry>;

  constructor(conversion: Conversion, catalogue: ExternalSort<CatalogueEntry>) {
    this.#conversion = conversion;
    this.#catalogue = catalogue;
  }

  add(entry: VideoEntry): void {
    if ("comment" in entry) {
      this.#comments.add(entry.comment);
      return;
    }
    this.rows++;
    this.origin ??= entry.origin;
    this.#video = this.#video === undefined ? entry.video : merge(this.#video, entry.video);
  }

  async finish(): Promise<readonly SliceItem[]> {
    const video = this.#video;
    // Comments of a video that is not in the input: their raw items are out already.
    if (video === undefined) return [];
    const record = videoRecord(video, this.#comments.texts(), this.#conversion);
    const raw = rawVideo(video, record);
    const origin = this.origin!;
    await this.#catalogue.add(`creator ${video.creator.uid}`, { creator: video.creator, origin, rows: 0 });
    for (const topic of video.topics) await this.#catalogue.add(`topic ${topic.id}`, { topic, origin });
    return [
      { kind: "record", record },
      { kind: "raw", raw },
    ];
  }
}

/** All that is known of one creator, or of one topic and how many videos carry it. */
class CatalogueFold implements GroupFold<CatalogueEntry> {
  origin: Origin | undefined;
  rows = 0;
  #creator: NativeCreator | undefined;
  #topic: NativeVideo["topics"][number] | undefined;
  #works = 0;
  readonly #conversion: Conversion;

  constructor(conversion: Conversion) {
    this.#conversion = conversion;
  }

  add(entry: CatalogueEntry): void {
    this.origin ??= entry.origin;
    if ("creator" in entry) {
      this.rows += entry.rows;
      this.#creator = this.#creator === undefined ? entry.creator : merge(this.#creator, entry.creator);
    } else {
      this.#works++;
      this.#topic = this.#topic === undefined ? entry.topic : merge(this.#topic, entry.topic);
    }
  }

  finish(): readonly SliceItem[] {
    if (this.#creator !== undefined)
      return [{ kind: "raw", raw: rawCreator(this.#creator, this.#conversion) }];
    const topic = this.#topic!;
    const { run, platform } = this.#conversion;
    const raw = buildRaw({
      platform: platform.slug,
      resource: "topic",
      id: topic.id,
      lang: textLanguage(topic.description ?? topic.name, run),
      captured_at: run.capturedAt(undefined),
      score: this.#works,
      data: {
        id: topic.id,
        name: topic.name,
        description: topic.description,
        cover_url: topic.cover,
        sampled_works: this.#works,
      },
    });
    return [{ kind: "raw", raw }];
  }
}

/**
 * A short-video platform's own API answers, in the envelopes of its app and its website: videos become records and raw
 * videos, comments and replies raw comments, accounts raw creators, challenges raw topics. The same video, creator or topic
 * in several answers is one, the first answer's fields first. Replies hang under the top-level comment, as on the platform.
 */
export const SHORT_VIDEO_NATIVE: Adapter = {
  name: "short-video-native",
  info: { title: "Native short-video answers", licence: "unknown", platforms: [] },
  sources: [
    { name: "video_lines", files: ["*video*.jsonl"], read: { as: "jsonl" } },
    { name: "comment_lines", files: ["*comment*.jsonl"], read: { as: "jsonl" } },
    { name: "comment_answers", files: ["*comment*.json"], read: { as: "json", rows: "data.comments" } },
    {
      name: "detail_answers",
      files: ["*detail*.json"],
      read: { as: "json", rows: "data.itemInfo.itemStruct" },
    },
    {
      name: "list_answers",
      files: ["*video*.json", "*tag*.json", "*user*.json"],
      read: { as: "json", rows: "data" },
    },
  ],
  async *convert(rows, context) {
    const platforms = platformsBySlug([]);
    const run = startRun(context, platforms, false);
    const conversion: Conversion = { run, platform: run.platform ?? platforms.get(SHORT_VIDEO)! };
    const videos = new ExternalSort<VideoEntry>(context);
    const catalogue = new ExternalSort<CatalogueEntry>(context);
    try {
      yield* convertRows(rows, async ({ value, file, line }) => {
        const origin = { file, line };
        const row = readNativeRow(value);
        if (row.kind === "video") {
          await videos.add(row.video.id, { video: row.video, origin });
          return [];
        }
        if (row.kind === "creator") {
          await catalogue.add(`creator ${row.creator.uid}`, { creator: row.creator, origin, rows: 1 });
          return [];
        }
        const { text, likes: rank, createdAt: at, videoId } = row.comment;
        const raw = rawComment(row.comment, conversion);
        if (row.comment.replyTo === undefined) await videos.add(videoId, { comment: { text, rank, at } });
        return [{ kind: "raw", raw }];
      });
      yield* foldGroups(videos, () => new VideoFold(conversion, catalogue));
      yield* foldGroups(catalogue, () => new CatalogueFold(conversion));
    } finally {
      await videos.close();
      await catalogue.close();
    }
  },
};
