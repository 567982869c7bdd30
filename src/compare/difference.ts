import { z } from "zod";

/** Kind of a difference between two answers. */
export type DifferenceKind = "structure" | "value" | "order" | "error" | "price" | "time";

/** One thing in which two answers differ. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** Where: a path such as `data[].metrics.likes`, `status`, `meta.charged_usd`. Elements of lists are not numbered. */
  readonly path: string;
  /** What each side has there, shortened. */
  readonly local: string;
  readonly remote: string;
}

/** What is allowed to differ. */
export interface Tolerances {
  /** Share by which numbers may differ; 0 by default. */
  readonly numbers?: number | undefined;
  /** Least cosine of two vectors that count as equal; 1 − 10⁻⁶ by default. */
  readonly cosine?: number | undefined;
  /** How many times slower the remote may be, and by how many ms at least; time is not compared by default. */
  readonly slower?: { readonly times: number; readonly ms: number } | undefined;
  /** Paths that are not compared, such as `data[].extra.freshness_s`; `data[].extra.*` for all below. */
  readonly ignore?: readonly string[] | undefined;
}

/** Checks of {@link Tolerances}. */
export const TolerancesOption: z.ZodType<Tolerances> = z.strictObject({
  numbers: z.number().min(0).optional(),
  cosine: z.number().min(-1).max(1).optional(),
  slower: z.strictObject({ times: z.number().min(0), ms: z.number().min(0) }).optional(),
  ignore: z.array(z.string()).optional(),
});

/** Members that are a call's own: they differ between any two services. */
export const OWN_MEMBERS = [
  "request_id",
  "error.request_id",
  "meta.balance_usd",
  "meta.free_quota_remaining",
  "meta.billed",
  "meta.used_free_quota",
] as const;
