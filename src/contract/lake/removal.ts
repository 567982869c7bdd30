import { z } from "zod";
import { PlatformSlug } from "../service/platforms.js";
import { recordIdUpTo } from "../service/unified-record.js";

/** Platforms' own ids are addresses of pages, where nothing else names a thing. */
const MAX_OWN_ID = 2000;
const name = z.string().min(1).max(MAX_OWN_ID);
/** Made of own ids as they are stored or asked for: no record need have it. */
const derivedRecord = z.string().min(1);

/** Resources of parts: items that belong to another item (`parent`) and own nothing but replies (`reply_to`). */
export const PART_RESOURCES: readonly string[] = [
  "comment",
  "reply",
  "review",
  "rating",
  "danmaku",
  "price",
  "segment",
  "mention",
  "relation",
];

/** Resource of the profiles of authors. */
export const CREATOR_RESOURCE = "creator";
/** Resource of the relations between authors. */
export const RELATION_RESOURCE = "relation";

/**
 * The target of a takedown. Each target is a key, so it also applies to slices installed later:
 * - `record`: a unified record, the raw item of the same thing, and all its parts;
 * - `raw`: a raw item with its record and parts; for a part (a comment), the item and its replies;
 * - `author`: everything by an author, given by hash or platform id, on one platform or on all;
 * - `hash`: every record with that `prov.hash`.
 *
 * An id counts as it is written, in its addressable form, and as the own id of which it is the addressable form.
 */
export const RemovalTarget = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("record"), id: recordIdUpTo(MAX_OWN_ID) }),
  z.strictObject({
    kind: z.literal("raw"),
    platform: PlatformSlug,
    resource: z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, "must be the name of a resource"),
    id: name,
  }),
  z.strictObject({ kind: z.literal("author"), platform: PlatformSlug.optional(), id: name }),
  z.strictObject({
    kind: z.literal("hash"),
    hash: z.string().regex(/^0x[0-9a-f]{64}$/, "must be 0x and 64 hexadecimal digits"),
  }),
]);
export type RemovalTarget = Readonly<z.infer<typeof RemovalTarget>>;

const [, ...OTHER_TARGETS] = RemovalTarget.options;

/**
 * A tombstone, as a lake stores it: a takedown target, or an item derived from one. A derived item has its own key, so it stays removed
 * when its origin is deleted. A removed comment or review also stores the SHA-256 of its text, because samples of records may quote
 * it. A slice with nothing left is not installed again.
 */
export const Removal = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("record"), id: derivedRecord }),
  ...OTHER_TARGETS,
  z.strictObject({
    kind: z.literal("quote"),
    record: derivedRecord,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  z.strictObject({ kind: z.literal("slice"), root: z.string().regex(/^[0-9a-f]{64}$/) }),
]);
export type Removal = Readonly<z.infer<typeof Removal>>;

/** The unique key of a removal. */
export function removalKey(removal: Removal): string {
  switch (removal.kind) {
    case "record":
      return `record ${removal.id}`;
    case "raw":
      return `raw ${removal.platform}/${removal.resource}/${removal.id}`;
    case "author":
      return `author ${removal.platform ?? "*"}/${removal.id}`;
    case "hash":
      return `hash ${removal.hash}`;
    case "quote":
      return `quote ${removal.record} ${removal.sha256}`;
    case "slice":
      return `slice ${removal.root}`;
  }
}
