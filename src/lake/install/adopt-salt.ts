import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { Database } from "../../duckdb/database.js";
import { keepLakeSalt, readSalt } from "../author-salt.js";
import type { FoundSlice } from "../find-slices.js";
import { AUTHOR_SALT_FILE, lakePaths } from "../lake-paths.js";

/** What an install did with the salts that lie beside slices with authors, as an ingest without a lake leaves them. */
export interface AdoptedSalt {
  /** Folder whose salt the lake, which had none, has now. */
  readonly adopted?: string;
  /** Folders with another salt than the lake's: the same author has another hash in their slices. */
  readonly others: readonly string[];
}

/** Column of each file that says whether a row has an author. */
const AUTHORS = { records: "author_uid_hash", raw: "author" } as const;

/**
 * Gives a lake without a salt the one that lies beside the slices it was given, so that what is ingested for the lake later has the
 * same hashes. Only slices with authors count, and salts that only this user can read: others may know one that came with the slices.
 * @returns undefined where no salt was taken and none differs
 */
export async function adoptSalt(
  lake: string,
  found: readonly FoundSlice[],
): Promise<AdoptedSalt | undefined> {
  let own = await readSalt(lakePaths(lake).authorSalt);
  let adopted: string | undefined;
  const others: string[] = [];
  for (const folder of new Set(found.map(({ dir }) => dirname(dir)))) {
    const path = join(folder, AUTHOR_SALT_FILE);
    if (!(await isSecret(path))) continue;
    const salt = await readSalt(path);
    if (salt === undefined || salt === own) continue;
    if (!(await haveAuthors(found.filter(({ dir }) => dirname(dir) === folder)))) continue;
    if (own === undefined) own = await keepLakeSalt(lake, salt);
    if (own === salt) adopted = folder;
    else others.push(folder);
  }
  return adopted === undefined && others.length === 0 ? undefined : { adopted, others };
}

/** Whether a file is this user's own, and no one else can read it. */
async function isSecret(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "EACCES") return undefined;
    throw error;
  });
  if (found === undefined) return false;
  // Windows tells no such permissions.
  if (process.getuid === undefined) return true;
  return found.uid === process.getuid() && (found.mode & 0o077) === 0;
}

async function haveAuthors(slices: readonly FoundSlice[]): Promise<boolean> {
  const db = await Database.open(":memory:", { threads: 1 });
  try {
    for (const name of ["records", "raw"] as const) {
      const files = slices.flatMap(({ dir, manifest }) => pathsOf(dir, manifest, name));
      if (files.length === 0) continue;
      const sql = `SELECT 1 FROM read_parquet(?) WHERE ${AUTHORS[name]} IS NOT NULL LIMIT 1`;
      if ((await db.rows(sql, [files])).length > 0) return true;
    }
    return false;
  } finally {
    await db.close();
  }
}

function pathsOf(dir: string, { resources }: SliceManifest, name: keyof typeof AUTHORS): string[] {
  return resources.filter((resource) => resource.name === name).map(({ path }) => join(dir, path));
}
