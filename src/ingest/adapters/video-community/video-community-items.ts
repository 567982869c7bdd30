import { omitUndefined } from "../../../contract/omit-undefined.js";
import type { Platform } from "../../../contract/service/platforms.js";
import type { RawItem, SliceItem } from "../../../contract/slice/slice-item.js";
import { payloadId } from "../../../slice/record-hash.js";
import { buildRaw } from "../../mapping/build-raw.js";
import { buildRecord } from "../../mapping/build-record.js";
import type { Run } from "../../mapping/run.js";
import { authorHash } from "../../values/author-hash.js";
import { FieldError } from "../../values/field-error.js";
import { detectLanguage } from "../../values/language/detect-language.js";
import type { Origin } from "../fold-groups.js";
import { Fields } from "../row-fields.js";

const TIMES = ["yyyy-MM-dd HH:mm:ss"];
const ZONE = { zone: "+08:00" };

/** Emotion labels of comments and danmaku by number. The source does not define 0. */
const EMOTIONS: Readonly<Record<number, string>> = {
  1: "negative",
  2: "slightly negative",
  3: "neutral",
  4: "slightly positive",
  5: "positive",
  6: "very positive",
  7: "surprise",
};

/** The fields of a comment that one file has; another file may have the rest. */
export interface CommentPart {
  readonly video: string;
  readonly rpid?: string | undefined;
  readonly username: string;
  readonly text: string;
  readonly createdAt: string;
  readonly likes: number;
  readonly location?: string | undefined;
  readonly origin: Origin;
}

/** State shared by all items of one conversion. */
export interface Conversion {
  readonly run: Run;
  readonly platform: Platform;
}

/** The platform is Chinese, so a text of undetermined language counts as Chinese. */
export function languageOf(text: string, run: Run): string {
  if (run.language !== undefined) return run.language;
  const language = detectLanguage(text);
  return language === "und" ? "zh" : language;
}

/** The video of a comments file: `comments_<video>_meta.csv`, `comments_<video>_rpid.csv`. */
function videoOf(file: string): string {
  const name = file.split(/[/!]/).at(-1)!;
  const match = /^comments_(.+?)(?:_(?:meta|rpid))?\.csv/.exec(name);
  if (match === null) throw new FieldError("", "the file name names no video", name);
  return match[1]!;
}

/** Reads a row of a file of comments. @throws FieldError */
export function readPart(value: unknown, file: string, line: number): CommentPart {
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

/** Join key: rows of two files are the same comment if video, author, second and text agree. */
export function partKey({ video, username, createdAt, text }: CommentPart): string {
  return payloadId([video, username, createdAt, text]);
}

/** Raw comment (service.md section 2.5). */
export function rawComment(comment: CommentPart, { run, platform }: Conversion): RawItem {
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

/** Raw danmaku. @throws FieldError */
export function rawDanmaku(
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

/** Record of a labelled comment, of which only the text and label are known. @throws FieldError */
export function labelledRecord(value: unknown, { run, platform }: Conversion): SliceItem {
  const fields = new Fields(value);
  const text = fields.need("content");
  const label = fields.count("label");
  const emotion = label === undefined ? undefined : EMOTIONS[label];
  const record = buildRecord(
    {
      lang: languageOf(text, run),
      text,
      extra: omitUndefined({
        note_type: "comment",
        emotion_id: label,
        emotion,
      }),
    },
    platform,
    run.capturedAt(undefined),
  );
  return { kind: "record", record };
}
