import { FieldError } from "../../values/field-error.js";
import type { TimeReference } from "../../values/time-format.js";
import { Fields, formatOf, zoneOf } from "../row-fields.js";

const ZONE = "+08:00";
const POST_TIMES = ["epoch_s", "EEE MMM dd HH:mm:ss xx yyyy", "yyyy-MM-dd HH:mm:ss", "iso"];
const DATED = ["yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm", "EEE MMM dd HH:mm:ss xx yyyy", "iso"];
const YEARLESS = ["MM-dd HH:mm:ss", "MM-dd HH:mm", "M月d日 HH:mm"];

/** A post, as in the source. */
export interface MicroblogPost {
  readonly mid: string;
  readonly text: string | undefined;
  readonly uid: string;
  readonly nickname: string | undefined;
  readonly followers: number | undefined;
  readonly location: string | undefined;
  readonly createdAt: string;
  readonly likes: number | undefined;
  readonly comments: number | undefined;
  readonly reposts: number | undefined;
  readonly images: number | undefined;
  readonly hasUrl: boolean | undefined;
  readonly client: string | undefined;
  readonly label: string | undefined;
}

/** A comment or repost. Its date may lack the year. */
export interface MicroblogComment {
  readonly mid: string;
  readonly postMid: string;
  readonly parent: string | undefined;
  readonly uid: string;
  readonly text: string;
  readonly date: string;
  readonly likes: number;
}

/** Reads a row of posts. @throws FieldError */
export function readPost(value: unknown): MicroblogPost {
  const fields = new Fields(value);
  const createdAt = fields.time("time", POST_TIMES, { zone: ZONE });
  if (createdAt === undefined) throw new FieldError("time", "is missing");
  return {
    mid: fields.need("mid"),
    text: fields.text("text"),
    uid: fields.need("author_uid"),
    // For a deleted account, `author_name` is the word "empty" instead of an object.
    nickname: fields.text("author_name.name", "author_name.screen_name"),
    followers: fields.count("author_name.followers"),
    location: fields.text("author_name.location"),
    createdAt,
    likes: fields.count("likes"),
    comments: fields.count("comments"),
    reposts: fields.count("reposts"),
    images: fields.count("pics"),
    hasUrl: fields.flag("has_url"),
    client: fields.text("source"),
    label: fields.text("label"),
  };
}

/** Reads a row of comments. @throws FieldError */
export function readComment(value: unknown): MicroblogComment {
  const fields = new Fields(value);
  return {
    mid: fields.need("mid"),
    postMid: fields.need("post_mid"),
    parent: fields.text("parent"),
    uid: fields.need("uid"),
    text: fields.text("text") ?? "",
    date: fields.need("date"),
    likes: fields.count("likes") ?? 0,
  };
}

/** Whether a comment's date needs the post's year. */
export function isYearless(date: string): boolean {
  return YEARLESS.some((format) => formatOf(format).parse(date, zoneOf(ZONE), { year: 2000 }));
}

/**
 * ISO 8601 time of a comment, in China's time zone. A date without a year is its first occurrence not before the post.
 * @throws FieldError for an unknown date format
 */
export function commentTime(date: string, postedAt: string | undefined): string {
  if (postedAt === undefined) return new Fields({ date }).time("date", DATED, { zone: ZONE })!;
  const notBefore = formatOf("iso").parse(postedAt, zoneOf(ZONE))!;
  // The time zone of the comment's date, so that the year changes when it did for the commenter.
  const reference: TimeReference = { notBefore: { ms: notBefore.ms, offsetMinutes: 8 * 60 } };
  return new Fields({ date }).time("date", [...DATED, ...YEARLESS], { zone: ZONE, reference })!;
}
