import { IngestError } from "../contract/errors.js";

/** A place in a source file. */
export interface Place {
  readonly file: string;
  /** 1-based line, row or element; absent for the whole file. */
  readonly line?: number;
}

/** Formats a place for a message: `file`, or `file, line 12`. */
export function at(place: Place): string {
  return place.line === undefined ? place.file : `${place.file}, line ${place.line}`;
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
