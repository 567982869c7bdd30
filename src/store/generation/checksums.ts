import { createHash } from "node:crypto";
import { type BigIntStats, readFileSync, statSync } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { LakeError } from "../../contract/errors.js";
import { hashFile, hashFiles, writeFileSynced } from "../../files/durable-files.js";
import { rebuildRemedy } from "./rebuild-remedy.js";

/** File of a generation with the SHA-256 and the size of every other file, and a last line that seals it. */
export const CHECKSUMS_FILE = "checksums.txt";

/** Largest file that is hashed when a generation is opened, in bytes. */
const HASHED_AT_OPEN = 16 * 1024;

/** Size and SHA-256 of a file. */
export interface Checksum {
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** Checksums by path within the generation, with `/` between folders. */
export type Checksums = ReadonlyMap<string, Checksum>;

/** What is wrong with a file of a generation. */
export interface FileFault {
  readonly path: string;
  readonly fault: "changed" | "missing" | "extra";
}

/** Options of {@link writeChecksums}. */
export interface ChecksumOptions {
  /** Beginnings of paths that get none. */
  readonly except: readonly string[];
  /** Generation that this one extends. */
  readonly base?: string;
  /** Hashes files; `bytes` is their size together. Default: one after another, in this thread. */
  readonly hash?: (paths: readonly string[], bytes: number) => Promise<readonly Checksum[]>;
  readonly signal?: AbortSignal;
}

/**
 * Writes the checksums of all files of a generation that is complete, whatever they are. A file that is shared with the base keeps
 * the checksum that it has there: damage since then stays to be found.
 */
export async function writeChecksums(dir: string, options: ChecksumOptions): Promise<void> {
  const { base, signal } = options;
  const known = base === undefined ? undefined : await readChecksums(base);
  const paths = await filesIn(dir, options.except);
  const checksums = new Map<string, Checksum>();
  const fresh = new Map<string, FreshFile>();
  const stats = await Promise.all(paths.map((path) => lstat(join(dir, path), { bigint: true })));
  for (const [i, path] of paths.entries()) {
    const old = known?.get(path);
    if (old !== undefined && (await isSameFile(stats[i]!, join(base!, path)))) {
      checksums.set(path, old);
      continue;
    }
    const { dev, ino, size } = stats[i]!;
    const file = fresh.get(`${dev} ${ino}`);
    if (file === undefined) fresh.set(`${dev} ${ino}`, { paths: [path], bytes: Number(size) });
    else file.paths.push(path);
  }
  const files = [...fresh.values()];
  const hash = options.hash ?? ((all) => hashFiles(all, { signal }));
  const hashed = await hash(
    files.map((file) => join(dir, file.paths[0]!)),
    files.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  for (const [i, file] of files.entries()) for (const path of file.paths) checksums.set(path, hashed[i]!);
  const text = paths
    .map((path) => {
      const { sha256, bytes } = checksums.get(path)!;
      return `${sha256} ${bytes} ${path}\n`;
    })
    .join("");
  await writeFileSynced(join(dir, CHECKSUMS_FILE), `${text}${digestOf(text)} seal\n`);
}

/** A file that is not the base's, by all its hard links. */
interface FreshFile {
  readonly paths: string[];
  readonly bytes: number;
}

/**
 * Reads the checksums of a generation; undefined for one of a release that wrote none.
 * @throws LakeError `generation_corrupt` if the file is not what was written
 */
export async function readChecksums(dir: string): Promise<Checksums | undefined> {
  const path = join(dir, CHECKSUMS_FILE);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const end = text.lastIndexOf("\n", text.length - 2) + 1;
  const body = text.slice(0, end);
  const seal = /^([0-9a-f]{64}) seal\n$/.exec(text.slice(end))?.[1];
  if (seal === undefined || digestOf(body) !== seal) throw corrupt(path, "its last line does not seal it");
  const checksums = new Map<string, Checksum>();
  for (const line of body.split("\n").slice(0, -1)) {
    const [, sha256, bytes, file] = /^([0-9a-f]{64}) (\d+) (.+)$/.exec(line) ?? [];
    if (file === undefined) throw corrupt(path, "a line has another form");
    checksums.set(file, { sha256: sha256!, bytes: Number(bytes) });
  }
  return checksums;
}

/** Compares every file of a generation, or those of a folder in it, with its checksums. */
export async function findFileFaults(
  dir: string,
  checksums: Checksums,
  options: {
    readonly except: readonly string[];
    /** Prefixes of the paths to compare. Default: all. */
    readonly only?: readonly string[];
    readonly onBytes?: (bytes: number) => void;
    readonly signal?: AbortSignal;
  },
): Promise<FileFault[]> {
  const { only, signal, onBytes } = options;
  const faults: FileFault[] = [];
  const there = new Set(await filesIn(dir, [...options.except, CHECKSUMS_FILE]));
  for (const [path, { bytes, sha256 }] of checksums) {
    if (only !== undefined && !only.some((prefix) => path.startsWith(prefix))) continue;
    if (!there.delete(path)) {
      faults.push({ path, fault: "missing" });
      continue;
    }
    const found = await hashFile(join(dir, path), { signal, onBytes });
    if (found.bytes !== bytes || found.sha256 !== sha256) faults.push({ path, fault: "changed" });
  }
  if (only === undefined) for (const path of there) faults.push({ path, fault: "extra" });
  return faults;
}

/**
 * Checks what is cheap: that each file has its size, and each small one its checksum. Takes under a millisecond for a hundred files,
 * and does nothing for a generation without checksums.
 * @throws LakeError `generation_corrupt`
 */
export async function checkCheaply(dir: string): Promise<void> {
  const checksums = await readChecksums(dir);
  for (const [path, { bytes, sha256 }] of checksums ?? []) {
    const file = join(dir, path);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) throw corrupt(file, "it is missing");
    if (stats.size !== bytes) throw corrupt(file, `it has ${stats.size} bytes, not ${bytes}`);
    if (bytes > HASHED_AT_OPEN) continue;
    if (createHash("sha256").update(readFileSync(file)).digest("hex") !== sha256)
      throw corrupt(file, "its checksum is another");
  }
}

/** The error of a file that is not what was written. */
export function corrupt(path: string, why: string, cause?: unknown): LakeError {
  return new LakeError("generation_corrupt", `${path} is damaged: ${why}`, {
    value: path,
    remedy: rebuildRemedy(path),
    cause,
  });
}

function digestOf(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** Paths of all files below a folder, sorted, but for those that begin with a given text. */
async function filesIn(dir: string, except: readonly string[], below = ""): Promise<string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(join(dir, below), { withFileTypes: true })) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (except.some((prefix) => path.startsWith(prefix))) continue;
    if (entry.isDirectory()) paths.push(...(await filesIn(dir, except, path)));
    else paths.push(path);
  }
  return paths.sort();
}

async function isSameFile(a: BigIntStats, path: string): Promise<boolean> {
  const b = await lstat(path, { bigint: true }).catch(() => undefined);
  return b !== undefined && a.ino === b.ino && a.dev === b.dev;
}
