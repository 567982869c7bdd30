import { IngestError } from "../contract/errors.js";

/** Where in a source file something is wrong. */
export interface Place {
  readonly file: string;
  /** 1-based line, row or element; absent where it is the file as a whole. */
  readonly line?: number;
}

/** `file`, or `file, line 12`: how messages name a place. */
export function at(place: Place): string {
  return place.line === undefined ? place.file : `${place.file}, line ${place.line}`;
}

/** An IngestError that names the file and line first, then the reason; `value` is `file` or `file:line`. */
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
