import type { ZipMember } from "./zip-directory.js";

/** A file among the inputs: on disk, or inside a zip archive on disk. */
export interface FoundFile {
  /** How rows, rejects and messages name it: `dir/a.jsonl`, `a.zip!dir/b.jsonl`. */
  readonly label: string;
  /** Path that globs see: inside its input, or inside its archive; a final `.gz` is taken off. */
  readonly name: string;
  /** The same with the name of the input folder in front, so that a glob may name that too. */
  readonly fullName: string;
  /** On disk: of the file, or of the archive that holds it. */
  readonly path: string;
  readonly member?: ZipMember;
  readonly gzip: boolean;
  /** Bytes on disk, compressed where compressed. */
  readonly size: number;
  /** Whether the user named this very file, rather than a folder or archive that holds it. */
  readonly named: boolean;
}
