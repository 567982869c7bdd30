import {
  DatabaseError,
  DiskError,
  LakeError,
  MirrorlakeError,
  SearchError,
  SqlError,
  UsageError,
} from "../contract/errors.js";

/** An error in a message between processes. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly value: unknown;
  readonly remedy: string | undefined;
}

const CLASSES = {
  DatabaseError,
  DiskError,
  LakeError,
  MirrorlakeError,
  SearchError,
  SqlError,
  UsageError,
} as const;

/** Converts an error to a message: error classes do not pass between processes, so their members are sent. */
export function failureOf(error: unknown): Failure {
  const { name, message, code, value, remedy } = error as Error & Partial<Failure>;
  return { name, message, code, value, remedy };
}

/** Converts a message back to an error. */
export function errorOf({ name, message, code, value, remedy }: Failure): Error {
  if (code === undefined || remedy === undefined) return new Error(message);
  const of = Object.hasOwn(CLASSES, name) ? CLASSES[name as keyof typeof CLASSES] : MirrorlakeError;
  return new of(code, message, { value, remedy, lines: true });
}
