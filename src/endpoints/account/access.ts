import type { Account } from "../../account/account.js";

/** The part of the caller's account that account endpoints use. */
export type AccountAccess = Pick<
  Account,
  "state" | "rate" | "listKeys" | "createKey" | "revokeKey" | "topUp" | "usage" | "entries"
>;
