import { z } from "zod";

/** Schema of an amount in the ledger: micro-USD as decimal text, exact for any size. */
export const MicroText = z.string().regex(/^-?\d{1,30}$/);

/** How a call ended. Only `charged` moves money; only `free_quota` uses up a free call. */
export const CallOutcome = z.enum(["charged", "free_quota", "no_charge", "empty", "error"]);
export type CallOutcome = z.infer<typeof CallOutcome>;

/**
 * One entry of the ledger. `amount` is the change and `balance` the running sum including this entry, both in
 * micro-USD. Every call is one entry, most with amount zero.
 */
export const LedgerEntry = z.strictObject({
  /** 1 for the first entry, then without gaps. */
  seq: z.number().int().min(1),
  /** Milliseconds since the Unix epoch, by the service clock. */
  at: z.number().int(),
  kind: z.enum(["opening", "top_up", "call", "adjustment"]),
  amount: MicroText,
  balance: MicroText,
  outcome: CallOutcome.optional(),
  key: z.string().optional(),
  endpoint: z.string().optional(),
  request: z.string().optional(),
  /** Error code of a failed call. */
  code: z.string().optional(),
  /** The month in Asia/Singapore ("2026-05") whose free quota the call used. */
  month: z.string().optional(),
  /** Reference text of a top-up or adjustment; of a call whose caller named its id, the digest of its parameters. */
  reference: z.string().optional(),
});
export type LedgerEntry = Readonly<z.infer<typeof LedgerEntry>>;

/** A ledger entry without its number and running balance, which depend on its position. */
export type EntryDraft = Omit<LedgerEntry, "seq" | "balance">;
