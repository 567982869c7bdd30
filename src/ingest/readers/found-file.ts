import type { ZipMember } from "./zip-directory.js";

/** A file among the inputs: on disk, or inside a zip archive on disk. */
export interface FoundFile {
  /** Name in rows, rejects and messages: `dir/a.jsonl`, `a.zip!dir/b.jsonl`. */
  readonly label: string;
  /** Path matched by globs, relative to its input or archive, without a final `.gz`. */
  readonly name: string;
  /** The same, prefixed with the name of the input folder or archive, so that a glob may include it. */
  readonly fullName: string;
  /** Path on disk of the file, or of its archive. */
  readonly path: string;
  readonly member?: ZipMember;
  readonly gzip: boolean;
  /** Bytes on disk; compressed size if compressed. */
  readonly size: number;
  /** Whether the user named this file itself rather than its folder or archive. */
  readonly named: boolean;
  /** Other names by which the inputs lead to the same file: named twice, a link, a folder and what is in it. Absent: none. */
  readonly otherNames?: readonly FoundFile[] | undefined;
  /** Its bytes where it is no file on disk; can be read once. */
  readonly bytes?: AsyncIterable<Uint8Array> | undefined;
}

/** Bytes that are read like a file, such as standard input. */
export interface InputStream {
  /** As a file's: its ending names the format (`posts.jsonl.gz`), unless the mapping does; globs match it. */
  readonly name: string;
  /** Can be read once. */
  readonly bytes: AsyncIterable<Uint8Array>;
}
