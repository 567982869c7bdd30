import { SearchError } from "../contract/errors.js";

/** An error in a message between threads; `code`, `value` and `remedy` are those of a `SearchError`. */
export interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly value?: unknown;
  readonly remedy?: string;
}

/** Converts an error to a message: error classes do not pass between threads, so their members are sent. */
export function failureOf(error: unknown): Failure {
  const { message, code, value, remedy } = error as Error & Partial<Failure>;
  return remedy === undefined ? { message } : { message, code, value, remedy };
}

/** Converts a message back to an error. */
export function errorOf({ message, code, value, remedy }: Failure): Error {
  return code === undefined || remedy === undefined
    ? new Error(message)
    : new SearchError(code, message, { value, remedy });
}
