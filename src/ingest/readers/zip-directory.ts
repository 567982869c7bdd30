import type { FileHandle } from "node:fs/promises";
import { formatBinarySize } from "../../contract/quantity.js";
import { MAX_ZIP_DIRECTORY_BYTES } from "../defaults.js";
import { ingestError } from "../ingest-error.js";
import type { IngestLimits } from "./read-options.js";

/** A file inside a zip archive, as the archive's central directory lists it. */
export interface ZipMember {
  /** Path inside the archive: relative, `/`-separated, checked. */
  readonly name: string;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
  /** Where the member's local header starts in the archive. */
  readonly headerOffset: number;
}

const END = 0x06054b50;
const END_64 = 0x06064b50;
const END_64_LOCATOR = 0x07064b50;
const CENTRAL = 0x02014b50;
const END_BYTES = 22;
const LOCATOR_BYTES = 20;
const MAX_COMMENT = 0xffff;
const SYMLINK = 0xa000;
const FILE_TYPE = 0xf000;

/**
 * Reads and checks the central directory of a zip archive (PKWARE APPNOTE.TXT 4.3.12 to 4.3.16, zip64 included). The directory
 * is authoritative, not the local headers: only it has the sizes of streamed members, and links.
 *
 * @throws IngestError for a file that is no zip, truncated, encrypted or split, and for an archive with a member that has an
 * unsafe or duplicate name, is a link, overlaps another, or expands beyond the limits
 */
export async function readZipDirectory(
  handle: FileHandle,
  archiveSize: number,
  file: string,
  limits: IngestLimits,
): Promise<ZipMember[]> {
  const end = await findEnd(handle, archiveSize, file);
  if (end.entries > limits.maxMembers) {
    throw ingestError(
      "zip_too_many_members",
      { file },
      `holds ${end.entries} members, over the limit of ${limits.maxMembers}`,
      "unpack it and give the folder",
    );
  }
  if (end.offset + end.size > archiveSize) throw truncated(file);
  if (end.size > MAX_ZIP_DIRECTORY_BYTES) {
    throw ingestError(
      "zip_too_many_members",
      { file },
      `has a directory of ${formatBinarySize(end.size)}, over the limit of ${formatBinarySize(MAX_ZIP_DIRECTORY_BYTES)}`,
      "unpack it and give the folder",
    );
  }
  const directory = await readAt(handle, end.offset, end.size, file);
  const members: ZipMember[] = [];
  const memberNames = new Set<string>();
  let at = 0;
  for (let i = 0; i < end.entries; i++) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== CENTRAL) throw damaged(file);
    const next =
      at +
      46 +
      directory.readUInt16LE(at + 28) +
      directory.readUInt16LE(at + 30) +
      directory.readUInt16LE(at + 32);
    if (next > directory.length) throw damaged(file);
    const member = parseMember(directory.subarray(at, next), file);
    at = next;
    const name = member.name.normalize("NFC");
    if (memberNames.has(name)) {
      throw refused(file, member.name, "is listed twice", "zip_duplicate_name");
    }
    memberNames.add(name);
    if (member.name.endsWith("/")) continue;
    if (
      member.size > limits.expansionAllowance &&
      member.size > member.compressedSize * limits.maxExpansion
    ) {
      throw ingestError(
        "expansion_limit",
        { file: `${file}!${member.name}` },
        `would grow from ${formatBinarySize(member.compressedSize)} to ${formatBinarySize(member.size)}, more than ${limits.maxExpansion} times`,
        "if you trust it, unpack it and give the folder",
      );
    }
    members.push(member);
  }
  // A member that is listed but not counted would be lost. Only a digital signature may follow (APPNOTE 4.3.13).
  if (at + 4 <= directory.length && directory.readUInt32LE(at) === CENTRAL) throw damaged(file);
  refuseOverlaps(members, end.offset, file);
  return members;
}

function parseMember(entry: Buffer, file: string): ZipMember {
  const nameEnd = 46 + entry.readUInt16LE(28);
  const rawName = entry.subarray(46, nameEnd);
  const name = rawName.toString("utf8");
  const flags = entry.readUInt16LE(8);
  const madeOnUnix = entry[5] === 3 || entry[5] === 19;
  const mode = entry.readUInt16LE(40);
  checkName(name, rawName, file);
  const type = mode & FILE_TYPE;
  if (madeOnUnix && type !== 0 && type !== 0x8000 && type !== 0x4000) {
    throw refused(file, name, type === SYMLINK ? "is a symbolic link" : "is a special file", "zip_link");
  }
  if (flags & 0x1) throw refused(file, name, "is encrypted", "zip_encrypted");
  const method = entry.readUInt16LE(10);
  if (method !== 0 && method !== 8) {
    throw refused(
      file,
      name,
      `is compressed with method ${method}; only stored and deflated are read`,
      "zip_method",
    );
  }
  const sizes = {
    size: entry.readUInt32LE(24),
    compressedSize: entry.readUInt32LE(20),
    headerOffset: entry.readUInt32LE(42),
  };
  return { name, method, crc32: entry.readUInt32LE(16), ...widen(sizes, entry, nameEnd, file) };
}

/** Replaces 32-bit fields of all ones with the zip64 extra field's values (APPNOTE 4.5.3). */
function widen<T extends { size: number; compressedSize: number; headerOffset: number }>(
  sizes: T,
  entry: Buffer,
  extraStart: number,
  file: string,
): T {
  const keys = (["size", "compressedSize", "headerOffset"] as const).filter(
    (key) => sizes[key] === 0xffffffff,
  );
  if (keys.length === 0) return sizes;
  const extraEnd = extraStart + entry.readUInt16LE(30);
  for (let at = extraStart; at + 4 <= extraEnd; ) {
    const length = entry.readUInt16LE(at + 2);
    if (entry.readUInt16LE(at) === 1) {
      if (length < keys.length * 8 || at + 4 + length > extraEnd) break;
      const wide = keys.map((key, i) => [key, Number(entry.readBigUInt64LE(at + 4 + i * 8))] as const);
      return { ...sizes, ...Object.fromEntries(wide) };
    }
    at += 4 + length;
  }
  throw damaged(file);
}

function checkName(name: string, raw: Buffer, file: string): void {
  const because = (reason: string) => refused(file, JSON.stringify(name), reason, "zip_unsafe_name");
  if (name.includes("\0")) throw because("has a NUL in its name");
  if (name.includes("\ufffd") && !raw.includes("\ufffd")) throw because("has a name that is not UTF-8");
  if (name === "" || name.startsWith("/")) throw because("has an absolute or empty path");
  if (name.includes("\\") || /^[A-Za-z]:/.test(name)) throw because("has a drive or a backslash in its path");
  const segments = name.replace(/\/$/, "").split("/");
  if (segments.some((segment) => segment === ".." || segment === "." || segment === "")) {
    throw because("has a path that leaves the archive or is not normal");
  }
}

/** Overlapping members are how a small archive expands without limit (a zip bomb). */
function refuseOverlaps(members: readonly ZipMember[], directoryOffset: number, file: string): void {
  const byOffset = [...members].sort((a, b) => a.headerOffset - b.headerOffset);
  for (let i = 0; i < byOffset.length; i++) {
    const member = byOffset[i]!;
    const limit = byOffset[i + 1]?.headerOffset ?? directoryOffset;
    if (member.headerOffset + 30 + Buffer.byteLength(member.name) + member.compressedSize > limit) {
      throw refused(file, member.name, "overlaps another part of the archive", "zip_overlap");
    }
  }
}

async function findEnd(handle: FileHandle, archiveSize: number, file: string) {
  const magic = await readAt(handle, 0, Math.min(4, archiveSize), file);
  if (magic.length < 4 || magic[0] !== 0x50 || magic[1] !== 0x4b) {
    throw /\.zip$/i.test(file)
      ? ingestError(
          "not_a_zip",
          { file },
          "is named .zip and is not a zip archive",
          "rename it to what it is, or fetch it again",
        )
      : ingestError(
          "not_a_zip",
          { file },
          "is not a zip archive",
          "name a zip archive, or a folder of slices",
        );
  }
  const tailStart = Math.max(0, archiveSize - END_BYTES - MAX_COMMENT);
  const tail = await readAt(handle, tailStart, archiveSize - tailStart, file);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END || at + END_BYTES + tail.readUInt16LE(at + 20) !== tail.length)
      continue;
    const end = {
      entries: tail.readUInt16LE(at + 10),
      size: tail.readUInt32LE(at + 12),
      offset: tail.readUInt32LE(at + 16),
    };
    if (tail.readUInt16LE(at + 4) !== 0 && tail.readUInt16LE(at + 4) !== 0xffff) {
      throw ingestError("zip_split", { file }, "is one part of a split archive", "join its parts (zip -s 0)");
    }
    if (end.entries !== 0xffff && end.size !== 0xffffffff && end.offset !== 0xffffffff) return end;
    return (await findEnd64(handle, tailStart + at, file)) ?? end;
  }
  throw truncated(file);
}

async function findEnd64(handle: FileHandle, endAt: number, file: string) {
  if (endAt < LOCATOR_BYTES) return undefined;
  const locator = await readAt(handle, endAt - LOCATOR_BYTES, LOCATOR_BYTES, file);
  if (locator.readUInt32LE(0) !== END_64_LOCATOR) return undefined;
  const at = Number(locator.readBigUInt64LE(8));
  if (at + 56 > endAt) throw damaged(file);
  const end = await readAt(handle, at, 56, file);
  if (end.readUInt32LE(0) !== END_64) throw damaged(file);
  return {
    entries: Number(end.readBigUInt64LE(32)),
    size: Number(end.readBigUInt64LE(40)),
    offset: Number(end.readBigUInt64LE(48)),
  };
}

/** Reads exactly `length` bytes at `position`. @throws IngestError `zip_truncated` at the end of the file */
export async function readAt(
  handle: FileHandle,
  position: number,
  length: number,
  file: string,
): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) throw truncated(file);
    done += bytesRead;
  }
  return buffer;
}

function truncated(file: string): Error {
  return ingestError(
    "zip_truncated",
    { file },
    "ends before its directory; the archive is truncated",
    "fetch it again",
  );
}

function damaged(file: string): Error {
  return ingestError(
    "zip_damaged",
    { file },
    "has a damaged directory",
    "fetch it again, or repair it with `zip -FF`",
  );
}

function refused(file: string, member: string, reason: string, code: string): Error {
  return ingestError(
    code,
    { file },
    `member ${member} ${reason}; the archive is refused`,
    "unpack what you trust of it and give the folder",
  );
}
