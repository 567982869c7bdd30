import { randomBytes } from "node:crypto";
import { link, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkArgument } from "../contract/check-options.js";
import { LakeError } from "../contract/errors.js";
import { LakeFolderOption } from "../contract/option-schemas.js";
import { syncHandle } from "../files/durable-files.js";
import { makeTemporaryFolder } from "../files/temporary-folder.js";
import { writingTo } from "../files/writing-to.js";
import { lakePaths } from "./lake-paths.js";
import { openOrCreate } from "./settings.js";

const SALT_BYTES = 24;
const SALT = /^[A-Za-z0-9_-]{32}$/;

/** Prefix of a folder in a lake in which its salt is written before it is there. */
export const SALT_FOLDER = ".author-salt-";

/** Returns this many random bytes. */
export type RandomSource = (bytes: number) => Uint8Array;

/**
 * Returns the salt of a lake's author hashes: 24 random bytes as text, created on first use in
 * `<lake>/author-salt`, readable by the owner only. It never leaves the lake: without the salt a hash in a
 * slice cannot be tested against an author. An absent or empty folder becomes a lake. Concurrent callers get
 * the same salt.
 * @throws LakeError `author_salt_invalid` for a file with other content; `lake_foreign`
 * @throws DiskError `disk_full`, `not_writable`
 */
export async function authorSaltOf(lake: string): Promise<string> {
  checkArgument(LakeFolderOption, lake, "lake", "authorSaltOf");
  return (await readSalt(lakePaths(lake).authorSalt)) ?? (await keepLakeSalt(lake, newSalt()));
}

/** Generates a salt. */
export function newSalt(random: RandomSource = randomBytes): string {
  return Buffer.from(random(SALT_BYTES)).toString("base64url");
}

/**
 * Stores a salt unless the lake has one; an absent or empty folder becomes a lake.
 * @returns the lake's salt, which another process may have written first
 * @throws DiskError `disk_full`, `not_writable`
 */
export async function keepLakeSalt(lake: string, salt: string): Promise<string> {
  await openOrCreate(lake);
  return writingTo(lake, () => writeLakeSalt(lake, salt));
}

async function writeLakeSalt(lake: string, salt: string): Promise<string> {
  const path = lakePaths(lake).authorSalt;
  const temporary = await makeTemporaryFolder(lake, SALT_FOLDER);
  try {
    const file = join(temporary.path, "salt");
    await writeSalt(file, salt);
    // Unlike a rename, a link fails if another process was first.
    await link(file, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await temporary.remove();
  }
  return (await readSalt(path))!;
}

/**
 * Reads a salt file; undefined if it does not exist.
 * @throws LakeError `author_salt_invalid` for a file with other content
 */
export async function readSalt(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  const salt = text?.trim();
  if (salt === undefined || SALT.test(salt)) return salt;
  throw new LakeError("author_salt_invalid", `${path} does not hold a salt of 32 characters`, {
    value: path,
    remedy: "restore the file; without it, the same author gets another hash",
  });
}

/** Writes a salt to a new file, readable by its owner only. */
export async function writeSalt(path: string, salt: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(`${salt}\n`);
    await syncHandle(file);
  } finally {
    await file.close();
  }
}
