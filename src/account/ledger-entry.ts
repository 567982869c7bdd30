import { z } from "zod";

/** An amount of micro-USD as it stands in the ledger: decimal digits, so that no size is lost. */
export const MicroText = z.string().regex(/^-?\d{1,30}$/);

/** How a call ended. Only `charged` moves money; only `free_quota` uses up a free call. */
export const CallOutcome = z.enum(["charged", "free_quota", "no_charge", "empty", "error"]);
export type CallOutcome = z.infer<typeof CallOutcome>;

/**
 * One line of the ledger. `amount` is what it adds to the balance and `balance` the sum up to and with it, both in
 * micro-USD. Every call is one entry, most of them of zero.
 */
export const LedgerEntry = z.strictObject({
  /** 1 for the first entry, then without gaps. */
  seq: z.number().int().min(1),
  /** Milliseconds since the Unix epoch, of the service clock. */
  at: z.number().int(),
  kind: z.enum(["opening", "top_up", "call", "adjustment"]),
  amount: MicroText,
  balance: MicroText,
  outcome: CallOutcome.optional(),
  key: z.string().optional(),
  endpoint: z.string().optional(),
  request: z.string().optional(),
  /** Error code of a call that ended in one. */
  code: z.string().optional(),
  /** The month in Asia/Singapore ("2026-05") whose free quota the call used. */
  month: z.string().optional(),
  /** What a top-up or an adjustment refers to. */
  reference: z.string().optional(),
});
export type LedgerEntry = Readonly<z.infer<typeof LedgerEntry>>;
