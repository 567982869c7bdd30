import { z } from "zod";

/** Path of a file or folder. */
export const PathOption = z.string("must be a path").min(1, "must be a path, not an empty text");

/** Several paths. */
export const PathsOption = z.array(PathOption);

/** Text that says something. */
export const TextOption = z.string().min(1);

export const FlagOption = z.boolean();

/** A number of things from 0 on. */
export const CountOption = z.number().int().min(0);

/** A number of worker threads. */
export const ThreadsOption = z.number().int().min(0).max(1024);

/** A time in milliseconds that a timer can hold. */
export const MillisecondsOption = z
  .number()
  .int()
  .min(1)
  .max(2 ** 31 - 1);

export const SignalOption = z.custom<AbortSignal>(
  (value) => isObjectWith(value, ["addEventListener", "throwIfAborted"]),
  "must be an AbortSignal, such as new AbortController().signal",
);

export const ClockOption = z.custom<{ now(): number }>(
  (value) => isObjectWith(value, ["now"]),
  "must be a clock: an object whose now() gives milliseconds",
);

/** Any function: schemas of options cannot tell what it takes. */
export type AnyFunction = (...args: never[]) => unknown;

/** A function that is called back. */
export const CallbackOption = z.custom<AnyFunction>(
  (value) => typeof value === "function",
  "must be a function",
);

/** An object whose members of some names are functions: an instance of a class, or the like of one. */
export function objectOption<T extends object>(methods: readonly string[], words: string): z.ZodType<T> {
  return z.custom<T>((value) => isObjectWith(value, methods), `must be ${words}`);
}

function isObjectWith(value: unknown, methods: readonly string[]): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    methods.every((name) => typeof (value as Record<string, unknown>)[name] === "function")
  );
}
