import { randomBytes } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { LakeError } from "../contract/errors.js";
import { lakePaths } from "./lake-paths.js";
import { openOrCreate } from "./settings.js";

const SALT_BYTES = 24;
const SALT = /^[A-Za-z0-9_-]{32}$/;

/**
 * What author ids are hashed with for a lake: 24 random bytes as text, made when it is first asked for and kept in
 * `<lake>/author-salt`, readable by its owner only. It never leaves the lake: whoever has a slice but not the salt cannot test
 * whom a hash stands for. An absent or empty folder becomes a lake. Processes that ask at once get the same.
 * @throws LakeError `author_salt_invalid` for a file that holds something else; `lake_foreign`
 */
export async function authorSaltOf(lake: string): Promise<string> {
  const path = lakePaths(lake).authorSalt;
  const there = await readSalt(path);
  if (there !== undefined) return there;
  await openOrCreate(lake);
  const temporary = join(lake, `.author-salt-${process.pid}-${randomBytes(4).toString("hex")}`);
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(`${randomBytes(SALT_BYTES).toString("base64url")}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    // A link, unlike a rename, fails where another process was first.
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(temporary, { force: true });
  }
  return (await readSalt(path))!;
}

async function readSalt(path: string): Promise<string | undefined> {
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
