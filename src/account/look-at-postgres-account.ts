import { LakeError } from "../contract/errors.js";
import { type PostgresAddress, shownAddress } from "./store/postgres/postgres-address.js";
import { PostgresConnection } from "./store/postgres/postgres-connection.js";
import { postgresError } from "./store/postgres/postgres-error.js";

/** What is worth saying about an account. */
export interface AccountFinding {
  readonly level: "error" | "note";
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

/** Looks whether an account on PostgreSQL can be reached and read, and makes nothing there. @throws LakeError `account_driver_missing` */
export async function lookAtPostgresAccount(address: PostgresAddress): Promise<AccountFinding[]> {
  try {
    if ((await PostgresConnection.versionAt(address)) !== undefined) return [];
    const message = `${shownAddress(address)} has no tables of an account yet`;
    return [
      { level: "note", code: "account_missing", message, remedy: "none needed: the first server makes them" },
    ];
  } catch (error) {
    const known = postgresError(address, error);
    if (!(known instanceof LakeError) || known.code === "account_driver_missing") throw known;
    return [{ level: "error", code: known.code, message: known.message, remedy: known.remedy }];
  }
}
