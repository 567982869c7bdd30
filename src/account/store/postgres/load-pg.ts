import { LakeError } from "../../../contract/errors.js";

/**
 * Loads the optional peer `pg`.
 * @throws LakeError `account_driver_missing`
 */
export async function loadPg(): Promise<Pick<typeof import("pg"), "Client">> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new LakeError("account_driver_missing", "An account on PostgreSQL needs the package pg", {
      value: "pg",
      cause: error,
      remedy: "Run `npm install pg`.",
    });
  }
}
