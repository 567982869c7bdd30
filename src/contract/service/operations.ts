import { z } from "zod";
import { Metrics } from "./unified-record.js";

const param = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of a parameter");
/** Sort keys of unified records: `captured`, `id`, or a number of the record. */
export const RecordSort = z.enum([
  "captured",
  "id",
  ...Metrics.keyof().options,
  "price",
  "drop_7d",
  "sentiment",
  "followers",
]);
export type RecordSort = z.infer<typeof RecordSort>;

/** Numbers of a record for which a smaller value is better. */
export const LESS_IS_BETTER: ReadonlySet<RecordSort> = new Set<RecordSort>(["bsr", "drop_7d", "price"]);

const resource = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, "must be the name of a resource");

/** One item by the platform's id, in the parameter that `id` names: a raw item, else a unified record. */
export const DetailOptions = z.strictObject({ resource, id: param });

/** Orders of a raw list: by score, by creation, by place in the parent. */
export const ListSort = z.enum(["top", "new", "old", "offset"]);
export type ListSort = z.infer<typeof ListSort>;

/**
 * Raw items of a resource. Each of `parent`, `author`, `reply_to` names the parameter with that key. Optional parameters: `q`,
 * `lang`, `from`, `to`, `sort`, `cursor`, `count`.
 */
export const ListOptions = z.strictObject({
  resource,
  parent: param.optional(),
  author: param.optional(),
  reply_to: param.optional(),
  /** Only items that are not replies. */
  top_level: z.boolean().default(false),
  /** Order without the parameter `sort`. */
  sort: ListSort.default("top"),
});

/** The platform's unified records. Parameters: `q`, `lang`, `from`, `to`, `sort`, `cursor`, `count`. */
export const RecordsOptions = z.strictObject({ sort: RecordSort.default("captured") });

/**
 * A ranking of a platform: raw items of `resource` by score, or, without one, unified records by the number that the parameter
 * `by` names. Further parameters: `lang`, `freshness`, `cursor`, `count`.
 */
export const RankingOptions = z.strictObject({ resource: resource.optional() });

/** Counts of a resource by unit of time. Parameters: `q`, `lang`, `unit`, `from`, `to`. */
export const TrendOptions = z.strictObject({ resource, parent: param.optional() });

/** Prices of one thing over time; `id` names the parameter. Further parameters: `from`, `to`, `count`. */
export const PricePathOptions = z.strictObject({ id: param, resource: resource.default("price") });

/** A creator's profile: an item of `resource`, else the author of the creator's newest item in `works`. */
export const CreatorOptions = z.strictObject({
  id: param,
  resource: resource.default("creator"),
  works: resource.optional(),
});

/** A creator's connections: items of `resource` under the creator, else the commenters on the creator's `works`. */
export const CreatorGraphOptions = z.strictObject({
  id: param,
  resource: resource.default("relation"),
  works: resource.optional(),
});

const NoOptions = z.strictObject({});

/**
 * Every operation that a row may name, with the schema of the row's `options`. A user's own rows use the generic operations, which
 * take options.
 */
export const OPERATIONS = {
  search: NoOptions,
  "raw-video": NoOptions,
  "raw-comments": NoOptions,
  slices: NoOptions,
  directory: NoOptions,
  detail: DetailOptions,
  list: ListOptions,
  records: RecordsOptions,
  ranking: RankingOptions,
  trend: TrendOptions,
  "price-path": PricePathOptions,
  creator: CreatorOptions,
  "creator-graph": CreatorGraphOptions,
  "account-show": NoOptions,
  "account-usage": NoOptions,
  "account-ledger": NoOptions,
  "account-top-up": NoOptions,
  "account-keys": NoOptions,
  "account-create-key": NoOptions,
  "account-revoke-key": NoOptions,
  /** A row without data in any corpus yet: always empty. */
  unmapped: NoOptions,
} as const satisfies Record<string, z.ZodObject>;

/** Name of an operation. */
export type Operation = keyof typeof OPERATIONS;
