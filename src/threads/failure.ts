import { SearchError } from "../contract/errors.js";

/** An error on its way from one thread to another; `code` and what goes with it where it was a `SearchError`. */
export interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly value?: unknown;
  readonly remedy?: string;
}

/** An error as a message: classes of errors do not pass from thread to thread, so their members are sent. */
export function failureOf(error: unknown): Failure {
  const { message, code, value, remedy } = error as Error & Partial<Failure>;
  return remedy === undefined ? { message } : { message, code, value, remedy };
}

/** The error that a message says. */
export function errorOf({ message, code, value, remedy }: Failure): Error {
  return code === undefined || remedy === undefined
    ? new Error(message)
    : new SearchError(code, message, { value, remedy });
}
