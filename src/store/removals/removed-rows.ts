import { z } from "zod";
import { Sha256 } from "../../contract/slice/slice-manifest.js";
import type { Redacted } from "./redact.js";

/** Row numbers, of which there may be very many: looked at in one go. */
const rows = z.custom<number[]>(
  (value) => Array.isArray(value) && value.every((row) => Number.isSafeInteger(row)),
);
const samples = z.array(z.string()).nullable();
/** A row shown with fewer samples. */
const Redaction = z.strictObject({
  row: z.number(),
  /** Samples left; null if none; absent if nothing was redacted. */
  comment_thread: samples.optional(),
  review_sample: samples.optional(),
});
export type Redaction = z.infer<typeof Redaction>;

/** Tombstones of a generation: rows that are hidden, and rows shown with fewer samples. */
export const RemovedRows = z.strictObject({
  records: rows,
  raw: rows,
  redactedRecords: z.array(Redaction.extend({ hash: z.string() })),
  redactedRaw: z.array(Redaction),
  /** Records whose 7-day price change is another without the removed price points; null: none. */
  priceChanges: z
    .array(z.strictObject({ row: z.number(), drop: z.number().nullable(), hash: z.string() }))
    .default([]),
  /** Affected items per slice root; slices without any are not listed. */
  slices: z.record(Sha256, z.strictObject({ records: z.number(), raw: z.number() })),
});
export type RemovedRows = Readonly<z.infer<typeof RemovedRows>>;

/** No removals. */
export const NOTHING_REMOVED: RemovedRows = {
  records: [],
  raw: [],
  redactedRecords: [],
  redactedRaw: [],
  priceChanges: [],
  slices: {},
};

/** The samples of a redaction as {@link Redacted}. */
export function redactedOf(redaction: {
  readonly comment_thread?: readonly string[] | null | undefined;
  readonly review_sample?: readonly string[] | null | undefined;
}): Redacted {
  return {
    ...(redaction.comment_thread === undefined
      ? {}
      : { comment_thread: redaction.comment_thread ?? undefined }),
    ...(redaction.review_sample === undefined ? {} : { review_sample: redaction.review_sample ?? undefined }),
  };
}
