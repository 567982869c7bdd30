import { randomBytes } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { checkArgument } from "../contract/check-options.js";
import { LakeError } from "../contract/errors.js";
import { PathOption } from "../contract/option-schemas.js";
import { lakePaths } from "./lake-paths.js";
import { openOrCreate } from "./settings.js";

const SALT_BYTES = 24;
const SALT = /^[A-Za-z0-9_-]{32}$/;

/** Gives so many random bytes. */
export type RandomSource = (bytes: number) => Uint8Array;

/**
 * What author ids are hashed with for a lake: 24 random bytes as text, made when it is first asked for and kept in
 * `<lake>/author-salt`, readable by its owner only. It never leaves the lake: whoever has a slice but not the salt cannot test
 * whom a hash stands for. An absent or empty folder becomes a lake. Processes that ask at once get the same.
 * @throws LakeError `author_salt_invalid` for a file that holds something else; `lake_foreign`
 */
export async function authorSaltOf(lake: string): Promise<string> {
  checkArgument(PathOption, lake, "lake", "authorSaltOf");
  return (await readSalt(lakePaths(lake).authorSalt)) ?? (await keepLakeSalt(lake, newSalt()));
}

/** Makes a salt. */
export function newSalt(random: RandomSource = randomBytes): string {
  return Buffer.from(random(SALT_BYTES)).toString("base64url");
}

/**
 * Keeps a salt as the lake's, unless it has one; an absent or empty folder becomes a lake.
 * @returns the salt that the lake has from now on: that of another process where that was first
 */
export async function keepLakeSalt(lake: string, salt: string): Promise<string> {
  await openOrCreate(lake);
  const path = lakePaths(lake).authorSalt;
  const temporary = join(lake, `.author-salt-${process.pid}-${randomBytes(4).toString("hex")}`);
  try {
    await writeSalt(temporary, salt);
    // A link, unlike a rename, fails where another process was first.
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(temporary, { force: true });
  }
  return (await readSalt(path))!;
}

/**
 * Reads the salt that a file keeps; undefined where there is none.
 * @throws LakeError `author_salt_invalid` for a file that holds something else
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
    remedy: "put back the file as it was; without it, the same author gets another hash",
  });
}

/** Writes a salt to a new file, readable by its owner only. */
export async function writeSalt(path: string, salt: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(`${salt}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}
