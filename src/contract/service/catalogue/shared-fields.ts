import { z } from "zod";
import { ITEM_ID_PATTERN } from "../raw.js";
import {
  CommentCount,
  Cursor,
  DayOrInstant,
  Freshness,
  integer,
  isOrdered,
  ORDERED,
  text,
} from "../shared-params.js";
import { LanguageTag } from "../unified-record.js";

/** A short-video platform's video id (service.md section 4.2.1). */
export const ItemId = z.string().regex(ITEM_ID_PATTERN, `must match ${ITEM_ID_PATTERN.source}`);

/** A platform's id of any item, of unknown shape: where items have no other, it is the address of a page. */
export const PlatformId = z.string().max(2000).regex(/\S/, "must have characters that are no space");

/** Paging of every list, like that of comments (service.md section 4.2.2). */
export const PAGING = { cursor: Cursor, count: CommentCount };

/** Window of creation. */
const CREATED = {
  from: DayOrInstant.optional().describe("Only what was created on or after this day (UTC) or instant."),
  to: DayOrInstant.optional().describe("Only what was created on or before this day (UTC) or instant."),
};

/** Window of capture. */
const CAPTURED = {
  from: DayOrInstant.optional().describe("Only what was captured on or after this day (UTC) or instant."),
  to: DayOrInstant.optional().describe("Only what was captured on or before this day (UTC) or instant."),
};

const Words = text(1, 500).optional();
const SearchWords = Words.describe("Words to find, best match first; then without sort.");
const ContainedText = Words.describe("Only what contains this text, in any case.");
const Unit = z.enum(["hour", "day", "week", "month"]).default("day");
const RankedWindow = Freshness.default("7d");
const Lang = LanguageTag.optional().describe(
  "BCP-47 tag of the language, in any case; it includes longer tags: zh finds zh-Hant too.",
);

const Points = integer(1, 1000, 365).describe("Points: the newest of the window.");
const Edges = integer(1, 200, 50).describe("Edges: the heaviest.");

/** Filters of every list of parts: the window of their creation, and their order. */
export const LIST_FILTERS = {
  ...CREATED,
  sort: z
    .enum(["top", "new", "old"])
    .optional()
    .describe("top: by score, best first; new, old: by creation."),
};

/** Parameters of a list of parts: comments, reviews, mentions. */
export function listParams<Shape extends z.ZodRawShape>(of: Shape) {
  return z.strictObject({ ...of, ...LIST_FILTERS, ...PAGING }).refine(isOrdered, ORDERED);
}

/**
 * Parameters of a list of a platform's items. `q` are search words, best match first; `from` and `to` bound the capture.
 */
export function recordsParams<const Sorts extends readonly [string, ...string[]]>(sorts: Sorts) {
  return z
    .strictObject({
      q: SearchWords,
      lang: Lang,
      ...CAPTURED,
      sort: z.enum(sorts).optional().describe("The number to order by, best first; captured: newest first."),
      ...PAGING,
    })
    .refine(isOrdered, ORDERED)
    .refine(({ q, sort }) => q === undefined || sort === undefined, {
      error: "must be absent where q orders by relevance",
      path: ["sort"],
    });
}

/** Parameters of a ranking: its number, and the window before as-of. */
export function rankingParams<const By extends readonly [string, ...string[]]>(by: By) {
  return z.strictObject({
    by: z
      .enum(by)
      .default(by[0] as By[number])
      .describe("The number to rank by; what lacks it is left out."),
    lang: Lang,
    freshness: RankedWindow,
    ...PAGING,
  });
}

/** Parameters of a trend: the unit of time and the window of creation. */
export function trendParams<Shape extends z.ZodRawShape>(of: Shape) {
  return z
    .strictObject({
      ...of,
      q: ContainedText,
      unit: Unit,
      ...CREATED,
    })
    .refine(isOrdered, ORDERED);
}

/** Parameters of a price path; `count` limits the points to the newest of the window. */
export function pricePathParams<Shape extends z.ZodRawShape>(of: Shape) {
  return z
    .strictObject({
      ...of,
      ...CREATED,
      count: Points,
    })
    .refine(isOrdered, ORDERED);
}

/** Parameters of a creator graph; `count` limits the edges to those with the largest weight. */
export function graphParams<Shape extends z.ZodRawShape>(of: Shape) {
  return z.strictObject({ ...of, count: Edges });
}
