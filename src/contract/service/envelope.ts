import { z } from "zod";
import { ERRORS, type ErrorCode } from "../errors.js";

const usd = z.string().regex(/^-?\d+\.\d{6}$/, "must be an amount in USD with 6 decimal places");

/** Cost of a call, remaining quota and balance (service.md section 2.1, `meta`). Amounts are USD with 6 decimals. */
export const Meta = z.strictObject({
  billed: z.boolean(),
  charged_usd: usd,
  used_free_quota: z.boolean(),
  free_quota_remaining: z.number().int().min(0),
  balance_usd: usd,
  empty: z.boolean(),
});
export type Meta = Readonly<z.infer<typeof Meta>>;

/** A string of UUID shape (service.md section 2.1, `request_id`). */
export const RequestId = z.guid();

/** Schema of the success envelope around `data` (service.md section 2.1). */
export function envelopeSchema<Data extends z.ZodType>(data: Data) {
  return z.strictObject({ request_id: RequestId, data, meta: Meta });
}

/** The success envelope: every HTTP 200 of the service has this shape (service.md section 2.1). */
export interface Envelope<Data = unknown> {
  readonly request_id: string;
  readonly data: Data;
  readonly meta: Meta;
}

/** The error envelope (service.md section 2.2). */
export const ErrorEnvelope = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().min(1),
    request_id: RequestId,
  }),
});
export type ErrorEnvelope = Readonly<z.infer<typeof ErrorEnvelope>>;

/** Body of every 405, a framework message and not the error envelope (service.md section 7). */
export const METHOD_NOT_ALLOWED = Object.freeze({ detail: "Method Not Allowed" });

/** Body of a 500, plain text (service.md sections 1 and 7 specify the kind; the words are assumed). */
export const SERVER_ERROR_TEXT = "Internal Server Error";
