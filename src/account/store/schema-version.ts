import type Database from "libsql";
import { LakeError } from "../../contract/errors.js";
import { SCHEMA_VERSION } from "./schema.js";

/** Returns the version of the tables, 0 without tables. @throws LakeError `ledger_newer_format` */
export function schemaVersion(connection: Database.Database, path: string): number {
  const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'";
  if (connection.prepare(tables).get([]) === undefined) return 0;
  const row = connection.prepare("SELECT version FROM schema_version").get([]) as { version: number };
  if (row.version > SCHEMA_VERSION)
    throw new LakeError("ledger_newer_format", `${path} has account format ${row.version}`, {
      value: row.version,
      remedy: `This release reads format ${SCHEMA_VERSION}: upgrade mirrorlake.`,
    });
  return row.version;
}
