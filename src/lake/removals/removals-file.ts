import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LakeError } from "../../contract/errors.js";
import { replaceFileSynced } from "../../files/durable-files.js";
import { RemovalList, removalsDigest } from "../../store/removals/removal-list.js";
import { RemovedRows } from "../../store/removals/removed-rows.js";
import { lakePaths, REMOVALS_FILE } from "../lake-paths.js";
import { hasRemovals, readSettings } from "../settings.js";

const HEADER_BYTES = 512;

/**
 * Identifies the state of a lake's removals by one `stat`; empty without removals. The file is only ever
 * replaced by a rename.
 */
export function removalsStamp(lake: string): string {
  const stats = statSync(join(lake, REMOVALS_FILE), { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? "" : `${stats.ino} ${stats.mtimeNs} ${stats.size}`;
}

/**
 * Reads the digest of a lake's removals synchronously; undefined without removals.
 * @throws LakeError `removals_corrupt`
 */
export function currentDigest(lake: string): string | undefined {
  const path = lakePaths(lake).removals;
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(HEADER_BYTES);
    const head = bytes.toString("utf8", 0, readSync(fd, bytes, 0, HEADER_BYTES, 0));
    return removalsDigest(head.split("\n", 1)[0]!, path);
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads the removals of a lake.
 * @throws LakeError `removals_corrupt`; `removals_missing` if the settings say that there are removals but the
 * file is missing
 */
export async function readRemovals(lake: string): Promise<RemovalList> {
  const path = lakePaths(lake).removals;
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (bytes !== undefined) return RemovalList.parse(bytes, path);
  if (hasRemovals(await readSettings(lake))) throw removalsMissing(lake);
  return new RemovalList();
}

/** The roots of slices of which removals left nothing. */
export function removedRoots(list: RemovalList): ReadonlySet<string> {
  return new Set([...list.removals()].flatMap((removal) => (removal.kind === "slice" ? [removal.root] : [])));
}

/** The error of a missing removals file: removed content must not reappear. */
export function removalsMissing(lake: string): LakeError {
  const path = lakePaths(lake).removals;
  return new LakeError("removals_missing", `${path} is missing, though records were removed from this lake`, {
    value: path,
    remedy: "restore the file from a backup, or make a new lake and apply the takedown lists to it",
  });
}

/** Replaces the removals of a lake by one rename; they then hold in every process. @param digest of the list */
export async function writeRemovals(lake: string, list: RemovalList, digest: string): Promise<void> {
  await replaceFileSynced(
    lakePaths(lake).removals,
    join(lake, `.removals-${process.pid}`),
    list.text(digest),
  );
}

/**
 * Reads synchronously which rows a generation hides in a state of the removals.
 * @throws LakeError `removals_unresolved` if they are not derived yet, or the file is not what was written
 */
export function removedRowsOf(lake: string, generation: number, digest: string): RemovedRows {
  const path = lakePaths(lake).removedRows(generation, digest);
  try {
    return rowsOfText(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new LakeError(
      "removals_unresolved",
      `It is not known which rows of generation ${generation} were removed`,
      {
        value: path,
        remedy: `open the lake again; or rebuild it: mirrorlake install --rebuild --lake ${JSON.stringify(lake)}`,
        cause,
      },
    );
  }
}

/** Rows as a file's text: with their checksum as last member, since one changed digit would show a removed row again. */
export function textOfRows(rows: RemovedRows): string {
  const text = JSON.stringify(rows);
  return `${text.slice(0, -1)},"sha256":"${checksum(text)}"}`;
}

const CHECKSUM_LENGTH = ',"sha256":""}'.length + 64;
/** The last member of a file's text; those of releases before 0.2.0 have none. */
const CHECKSUM = /,"sha256":"([0-9a-f]{64})"\}$/;

/** The rows are checked by the text, which is not made of them once more: hundred thousands may be hidden. */
function rowsOfText(text: string): RemovedRows {
  const [member, sha256] = CHECKSUM.exec(text.slice(-CHECKSUM_LENGTH)) ?? [];
  if (member === undefined) return RemovedRows.parse(JSON.parse(text));
  const rows = `${text.slice(0, -member.length)}}`;
  if (sha256 !== checksum(rows)) throw new RangeError("The checksum is another");
  return RemovedRows.parse(JSON.parse(rows));
}

function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
