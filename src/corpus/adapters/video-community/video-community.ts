import type { Platform } from "../../../contract/platforms.js";
import type { RawItem, SliceItem } from "../../../contract/slice-item.js";
import { authorHash } from "../../mapping/author-hash.js";
import { buildRaw } from "../../mapping/build-raw.js";
import { buildRecord, platformsBySlug, withSource } from "../../mapping/build-record.js";
import { ExternalSort } from "../../mapping/external-sort.js";
import { FieldError } from "../../mapping/field-error.js";
import { detectLanguage } from "../../mapping/language/detect-language.js";
import { type Run, startRun } from "../../mapping/run.js";
import { payloadId } from "../../record-hash.js";
import type { Adapter } from "../adapter.js";
import { convertRows } from "../convert-rows.js";
import { Fields } from "../fields.js";
import { foldGroups, type GroupFold, type Origin } from "../fold-groups.js";
import { SampleComments } from "../sample-comments.js";
import { DanmakuHistogram } from "./danmaku-peak.js";

const SOURCE = "video community comments and danmaku";
const TIMES = ["yyyy-MM-dd HH:mm:ss"];
const ZONE = { zone: "+08:00" };

/** The labels that comments and danmaku carry by number. What 0 stands for, the source does not say. */
const EMOTIONS: Readonly<Record<number, string>> = {
  1: "negative",
  2: "slightly negative",
  3: "neutral",
  4: "slightly positive",
  5: "positive",
  6: "very positive",
  7: "surprise",
};

/** What one file knows of a comment; another may know the rest. */
interface CommentPart {
  readonly video: string;
  readonly rpid?: string | undefined;
  readonly username: string;
  readonly text: string;
  readonly createdAt: string;
  readonly likes: number;
  readonly location?: string | undefined;
  readonly origin: Origin;
}

/** What comments and danmaku leave for their video. */
type VideoEntry =
  | { readonly comment: { readonly text: string; readonly rank: number; readonly at: string } }
  | { readonly offsetS: number };

interface Conversion {
  readonly run: Run;
  readonly platform: Platform;
}

function languageOf(text: string, run: Run): string {
  if (run.language !== undefined) return run.language;
  const language = detectLanguage(text);
  return language === "und" ? "zh" : language;
}

/** The video that a file of comments is of: `comments_<video>_meta.csv`, `comments_<video>_rpid.csv`. */
function videoOf(file: string): string {
  const name = file.split(/[/!]/).at(-1)!;
  const match = /^comments_(.+?)(?:_(?:meta|rpid))?\.csv/.exec(name);
  if (match === null) throw new FieldError("", "the file name names no video", name);
  return match[1]!;
}

function readPart(value: unknown, file: string, line: number): CommentPart {
  const fields = new Fields(value);
  const path = fields.value("time") === undefined ? "date" : "time";
  const createdAt = fields.time(path, TIMES, ZONE);
  if (createdAt === undefined) throw new FieldError("time", "is missing");
  return {
    video: videoOf(file),
    rpid: fields.text("rpid"),
    username: fields.need("username"),
    text: fields.text("content") ?? "",
    createdAt,
    likes: fields.count("likes") ?? 0,
    location: fields.text("ip_location"),
    origin: { file, line },
  };
}

/** Two files tell of the same comment where video, author, second and text agree. */
function partKey({ video, username, createdAt, text }: CommentPart): string {
  return payloadId([video, username, createdAt, text]);
}

/** The parts of one comment, made one: the id of the file that has one, the location of the other, the higher like count. */
class CommentFold implements GroupFold<CommentPart> {
  origin: Origin | undefined;
  rows = 0;
  #comment: CommentPart | undefined;
  readonly #conversion: Conversion;
  readonly #videos: ExternalSort<VideoEntry>;

  constructor(conversion: Conversion, videos: ExternalSort<VideoEntry>) {
    this.#conversion = conversion;
    this.#videos = videos;
  }

  add(part: CommentPart): void {
    this.origin ??= part.origin;
    const known = this.#comment;
    this.#comment = {
      ...part,
      rpid: known?.rpid ?? part.rpid,
      location: known?.location ?? part.location,
      likes: Math.max(known?.likes ?? 0, part.likes),
    };
    this.rows++;
  }

  async finish(): Promise<readonly SliceItem[]> {
    const comment = this.#comment!;
    const raw = rawComment(comment, this.#conversion);
    const { text, likes: rank, createdAt: at } = comment;
    await this.#videos.add(comment.video, { comment: { text, rank, at } });
    return [{ kind: "raw", raw }];
  }
}

function rawComment(comment: CommentPart, { run, platform }: Conversion): RawItem {
  const cid = comment.rpid ?? partKey(comment);
  return buildRaw({
    platform: platform.slug,
    resource: "comment",
    id: cid,
    parent: comment.video,
    author: authorHash(comment.username, run.authorSalt),
    lang: languageOf(comment.text, run),
    captured_at: run.capturedAt(undefined),
    created_at: comment.createdAt,
    score: comment.likes,
    data: {
      cid,
      text: comment.text,
      likes: comment.likes,
      ip_location: comment.location ?? "",
      reply_count: 0,
      created_at: comment.createdAt,
      is_hot: false,
      images: [],
      author: {
        uid_hash: authorHash(comment.username, run.authorSalt),
        nickname: comment.username,
        uid: "",
        sec_uid: "",
        unique_id: null,
      },
    },
  });
}

function rawDanmaku(
  value: unknown,
  video: string,
  { run, platform }: Conversion,
): RawItem & { offset_s: number } {
  const fields = new Fields(value);
  const text = fields.need("content");
  const offset = fields.number("video_time");
  if (offset === undefined) throw new FieldError("video_time", "is missing");
  const id = payloadId([video, value]);
  const user = fields.text("user_hash");
  const uidHash = user === undefined ? undefined : authorHash(user, run.authorSalt);
  const createdAt = fields.time("real_time", TIMES, ZONE);
  const label = fields.count("predicted_label_id");
  const raw = buildRaw({
    platform: platform.slug,
    resource: "danmaku",
    id,
    parent: video,
    author: uidHash,
    lang: languageOf(text, run),
    captured_at: run.capturedAt(undefined),
    created_at: createdAt,
    score: 0,
    offset_s: offset,
    data: {
      id,
      video_id: video,
      text,
      offset_s: offset,
      created_at: createdAt,
      uid_hash: uidHash,
      emotion: label === undefined ? undefined : EMOTIONS[label],
    },
  });
  return { ...raw, offset_s: offset };
}

function labelledRecord(value: unknown, { run, platform }: Conversion): SliceItem {
  const fields = new Fields(value);
  const text = fields.need("content");
  const label = fields.count("label");
  const emotion = label === undefined ? undefined : EMOTIONS[label];
  const record = buildRecord(
    {
      lang: languageOf(text, run),
      text,
      extra: {
        note_type: "comment",
        ...(label === undefined ? {} : { emotion_id: label }),
        ...(emotion === undefined ? {} : { emotion }),
      },
    },
    platform,
    run.capturedAt(undefined),
  );
  return { kind: "record", record };
}

/** A video of which only the comments and danmaku are known. Its counts are of those that the input holds. */
class VideoFold implements GroupFold<VideoEntry> {
  readonly origin = undefined;
  // Its comments and danmaku are out as raw items.
  readonly rows = 0;
  readonly #video: string;
  readonly #conversion: Conversion;
  readonly #sample = new SampleComments();
  readonly #danmaku = new DanmakuHistogram();
  #comments = 0;

  constructor(video: string, conversion: Conversion) {
    this.#video = video;
    this.#conversion = conversion;
  }

  add(entry: VideoEntry): void {
    if ("offsetS" in entry) this.#danmaku.add(entry.offsetS);
    else {
      this.#comments++;
      this.#sample.add(entry.comment);
    }
  }

  finish(): readonly SliceItem[] {
    const { run, platform } = this.#conversion;
    const thread = this.#sample.texts();
    const peak = this.#danmaku.peak();
    const record = buildRecord(
      {
        id: this.#video,
        lang: languageOf((thread ?? []).join("\n"), run),
        metrics: { comments: this.#comments, danmaku: this.#danmaku.count },
        ...(thread === undefined ? {} : { comment_thread: thread }),
        extra: { source_id: this.#video, ...(peak === undefined ? {} : { danmaku_peak_s: peak }) },
      },
      platform,
      run.capturedAt(undefined),
    );
    const raw = buildRaw({
      platform: platform.slug,
      resource: "video",
      id: this.#video,
      lang: record.lang,
      captured_at: record.prov.ts,
      score: this.#comments + this.#danmaku.count,
      data: withSource(record, SOURCE),
    });
    return [
      { kind: "record", record },
      { kind: "raw", raw },
    ];
  }
}

/**
 * A video community's comments (`comments_<video>_….csv`, where two files may tell of the same comments), danmaku
 * (`danmaku*.csv`) and comments with an emotion label (`labeled_comments.csv`). Danmaku that name no video are those of the
 * one video that the comments are of. A labelled comment, of which nothing but the text is known, is a record.
 */
export const VIDEO_COMMUNITY: Adapter = {
  name: "video-community",
  info: { title: "Video community comments and danmaku", licence: "unknown", platforms: [] },
  sources: [
    { name: "labelled", files: ["labeled_comments*.csv"], read: { as: "csv" } },
    { name: "comments", files: ["comments_*.csv"], read: { as: "csv" } },
    { name: "danmaku", files: ["danmaku*.csv"], read: { as: "csv" } },
  ],
  async *convert(rows, context) {
    const platforms = platformsBySlug([]);
    const run = startRun(context, platforms, false);
    const conversion: Conversion = { run, platform: run.platform ?? platforms.get("video-community")! };
    const comments = new ExternalSort<CommentPart>(context);
    const videos = new ExternalSort<VideoEntry>(context);
    const named = new Set<string>();
    const onlyVideo = () => {
      if (named.size === 1) return [...named][0]!;
      throw new FieldError("", "names no video, and the comments are not of one", named.size);
    };
    try {
      yield* convertRows(rows, async ({ source, file, line, value }) => {
        if (source === "labelled") return [labelledRecord(value, conversion)];
        if (source === "comments") {
          const part = readPart(value, file, line);
          named.add(part.video);
          await comments.add(partKey(part), part);
          return [];
        }
        const video = new Fields(value).text("video_id", "bvid") ?? onlyVideo();
        const raw = rawDanmaku(value, video, conversion);
        await videos.add(video, { offsetS: raw.offset_s });
        return [{ kind: "raw", raw }];
      });
      yield* foldGroups(comments, () => new CommentFold(conversion, videos));
      yield* foldGroups(videos, (video) => new VideoFold(video, conversion));
    } finally {
      await comments.close();
      await videos.close();
    }
  },
};
