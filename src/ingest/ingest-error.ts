import { IngestError } from "../contract/errors.js";

/** A place in a source file. */
export interface Place {
  readonly file: string;
  /** 1-based line, row or element; absent for the whole file. */
  readonly line?: number;
  /** 1-based position among the rows of a JSON document. */
  readonly element?: number | undefined;
  /** 0-based offset in the file's content (decompressed). */
  readonly byte?: number;
}

/** Formats a place for a message: `file`, `file, line 12`, `file, line 12, element 3` or `file, line 12, byte 480`. */
export function at({ file, line, element, byte }: Place): string {
  const parts = [file];
  if (line !== undefined) parts.push(`line ${line}`);
  if (element !== undefined) parts.push(`element ${element}`);
  if (byte !== undefined) parts.push(`byte ${byte}`);
  return parts.join(", ");
}

/** Creates an IngestError whose message starts with file and line; `value` is `file` or `file:line`. */
export function ingestError(
  code: string,
  place: Place,
  reason: string,
  remedy: string,
  cause?: unknown,
): IngestError {
  return new IngestError(code, `${at(place)}: ${reason}`, {
    value: place.line === undefined ? place.file : `${place.file}:${place.line}`,
    remedy,
    cause,
  });
}
