import { z } from "zod";
import {
  CreatorGraph,
  CreatorProfile,
  PricePath,
  pageOf,
  RawRecord,
  Review,
  rankEntry,
  Trend,
} from "../answer-shapes.js";
import { Comment } from "../raw.js";
import { type RawRow, rawEndpoint } from "./raw-endpoint.js";
import {
  graphParams,
  listParams,
  PlatformId,
  pricePathParams,
  rankingParams,
  recordsParams,
  trendParams,
} from "./shared-fields.js";
import { CREATOR, exampleOf, idOf, POST, PRODUCT, type Thing } from "./thing.js";

// Rows share their schemas: each of zod's takes 6 kB, and those of answers are built when the package is imported.
const RECORD = RawRecord.nullable();
const RECORDS = pageOf(RawRecord);
const RANKED = pageOf(rankEntry(RawRecord));
const COMMENTS = pageOf(Comment);
const REVIEWS = pageOf(Review);
const PRICES = PricePath.nullable();
const TREND = Trend.nullable();

type Names = readonly [string, ...string[]];

/**
 * Builds the rows of one platform. Platforms share the same kinds of rows: an item, lists of items, its parts, its creators. Each
 * method builds one kind of row; `row` builds any other.
 *
 * @param group the group of service.md section 1
 * @param platform the platform's slug
 */
export function platformRows<const P extends string>(group: string, platform: P) {
  const row = <const R extends string, Params extends z.ZodObject, Data extends z.ZodType>(
    resource: R,
    spec: RawRow<Params, Data>,
  ) => rawEndpoint(group, platform, resource, spec);

  return {
    row,

    /** `/{thing}`: one item by its id. */
    detail: <T extends Thing>(thing: T) =>
      row(thing.name as T["name"], {
        operation: "detail",
        options: { resource: thing.stored, id: thing.param },
        summary: `One ${thing.name}.`,
        params: () => z.strictObject(idOf(thing)),
        data: RECORD,
        example: exampleOf(thing),
      }),

    /** `/{thing}s`: the platform's items by words, language and capture window; `sorts` lists the sort keys. */
    records: <T extends Thing, const Sorts extends Names>(thing: T, sorts: Sorts) =>
      row(plural(thing), {
        operation: "records",
        summary: `${capitalised(plural(thing))}, by words, language and window of capture.`,
        params: () => recordsParams(sorts),
        data: RECORDS,
        example: { count: 10 },
      }),

    /** `/comments` of an item, without replies. */
    comments: <T extends Thing>(thing: T) =>
      row("comments", {
        operation: "list",
        options: { resource: "comment", parent: thing.param, top_level: true },
        summary: `Comments of a ${thing.name}, page by page; the number of replies to each.`,
        params: () => listParams(idOf(thing)),
        data: COMMENTS,
        example: exampleOf(thing),
      }),

    /** `/replies` to one comment of an item. */
    replies: <T extends Thing>(thing: T) =>
      row("replies", {
        operation: "list",
        options: { resource: "comment", parent: thing.param, reply_to: "cid", sort: "old" },
        summary: "Replies to a comment, page by page, oldest first.",
        params: () => listParams({ ...idOf(thing), cid: PlatformId }),
        data: COMMENTS,
        example: { ...exampleOf(thing), cid: "c1" },
      }),

    /** `/reviews` of an item. */
    reviews: <T extends Thing>(thing: T) =>
      row("reviews", {
        operation: "list",
        options: { resource: "review", parent: thing.param },
        summary: `Reviews of a ${thing.name}, page by page.`,
        params: () => listParams(idOf(thing)),
        data: REVIEWS,
        example: exampleOf(thing),
      }),

    /** A price over time, by default `/price-path`; `priced` is the priced item. */
    pricePath: <T extends Thing, const R extends string = "price-path">(
      thing: T,
      priced = `a ${thing.name}`,
      resource = "price-path" as R,
    ) =>
      row(resource, {
        operation: "price-path",
        options: { id: thing.param },
        summary: `Price of ${priced} over time.`,
        params: pricePathParams(idOf(thing)),
        data: PRICES,
        example: exampleOf(thing),
      }),

    /** `/ranking` of items by a number; the first of `by` is the default. */
    ranking: <const By extends Names>(thing: Thing, by: By) =>
      row("ranking", {
        operation: "ranking",
        summary: `${capitalised(plural(thing))}, best first.`,
        params: () => rankingParams(by),
        data: RANKED,
        example: { freshness: "90d", count: 10 },
      }),

    /** `/trend`: counts of created items over time. */
    trend: (thing: Thing) =>
      row("trend", {
        operation: "trend",
        options: { resource: thing.stored },
        summary: `How many ${plural(thing)} there were over time, by words.`,
        params: () => trendParams({}),
        data: TREND,
        example: { unit: "day" },
      }),

    /** `/creator`: the profile of a creator of `works`; without `works`, of a creator for hire. */
    creator: (works?: Thing) =>
      row("creator", {
        operation: "creator",
        options: { id: CREATOR.param, ...worksOf(works) },
        summary: `Profile of a creator${works === undefined ? " on offer" : ""}.`,
        params: () => z.strictObject(idOf(CREATOR)),
        data: CreatorProfile.nullable(),
        example: exampleOf(CREATOR),
      }),

    /** `/creator-{thing}s`: the works of one creator. */
    creatorWorks: <T extends Thing>(thing: T) =>
      row(`creator-${plural(thing)}`, {
        operation: "list",
        options: { resource: thing.stored, author: CREATOR.param, sort: "new" },
        summary: `${capitalised(plural(thing))} of a creator, newest first.`,
        params: () => listParams(idOf(CREATOR)),
        data: RECORDS,
        example: exampleOf(CREATOR),
      }),

    /** `/creator-graph`: the connections of a creator. */
    creatorGraph: (works?: Thing) =>
      row("creator-graph", {
        operation: "creator-graph",
        options: { id: CREATOR.param, ...worksOf(works) },
        summary: "Whom a creator is connected to, and how strongly.",
        params: () => graphParams(idOf(CREATOR)),
        data: CreatorGraph.nullable(),
        example: exampleOf(CREATOR),
      }),
  };
}

/** The rows of every marketplace: a product, products, reviews and the price over time. */
export function marketplace<const P extends string, const Sorts extends Names>(options: {
  readonly platform: P;
  /** Sort keys of products. */
  readonly sorts: Sorts;
}) {
  const rows = platformRows(options.platform, options.platform);
  return [
    rows.detail(PRODUCT),
    rows.records(PRODUCT, options.sorts),
    rows.reviews(PRODUCT),
    rows.pricePath(PRODUCT),
  ] as const;
}

/** The rows of every platform of posts and discussions: a post, posts, comments and replies. */
export function discussion<const P extends string, const Sorts extends Names>(options: {
  readonly platform: P;
  /** Sort keys of posts. */
  readonly sorts: Sorts;
}) {
  const rows = platformRows(options.platform, options.platform);
  return [
    rows.detail(POST),
    rows.records(POST, options.sorts),
    rows.comments(POST),
    rows.replies(POST),
  ] as const;
}

function worksOf(works: Thing | undefined): { works?: string } {
  return works === undefined ? {} : { works: works.stored };
}

function plural<T extends Thing>({ name }: T): `${T["name"]}s` {
  return `${name}s`;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
