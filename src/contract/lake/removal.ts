import { z } from "zod";
import { PlatformSlug } from "../service/platforms.js";
import { RecordId } from "../service/unified-record.js";

const name = z.string().min(1).max(400);

/** Resources whose items belong to another item (`parent`) and have nothing that belongs to them but answers (`reply_to`). */
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
 * What a takedown names. Each is a key, so that it holds for what is installed later too:
 * - `record`: a unified record, with the raw item that is the same thing and all that belongs to it;
 * - `raw`: a raw item, likewise with its record where it is a thing of its own; a part (a comment) with what answers it;
 * - `author`: everything by an author, named by hash or by the platform's own id, on one platform or on all;
 * - `hash`: every record of that `prov.hash`.
 */
export const RemovalTarget = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("record"), id: RecordId }),
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

/**
 * A removal as a lake keeps it: what a takedown named, what follows from that (kept by its own key, so that it holds when
 * what it followed from is gone), and, of a removed comment or review, the SHA-256 of the text that the sample of a record
 * may quote. A slice of which nothing was left is not installed again.
 */
export const Removal = z.discriminatedUnion("kind", [
  ...RemovalTarget.options,
  z.strictObject({
    kind: z.literal("quote"),
    record: RecordId,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  z.strictObject({ kind: z.literal("slice"), root: z.string().regex(/^[0-9a-f]{64}$/) }),
]);
export type Removal = Readonly<z.infer<typeof Removal>>;

/** The key of a removal: two of one key are one. */
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
