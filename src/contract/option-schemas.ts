import { z } from "zod";
import type { EndpointSpec } from "./service/endpoint.js";

/** Path of a file or folder. */
export const PathOption = z.string("must be a path").min(1, "must be a path, not an empty text");

/** Folder of a lake, where no address of one will do: it would be taken for the name of a folder, which an install makes. */
export const LakeFolderOption = PathOption.refine(
  (path) => !/^clickhouses?:\/\//.test(path),
  "must be a folder; an address of a lake on ClickHouse is taken by installClickHouse, openLake, removeRecords and diagnoseLake",
);

/** Several paths. */
export const PathsOption = z.array(PathOption);

/** Non-empty text. */
export const TextOption = z.string().min(1);

export const FlagOption = z.boolean();

/** A count, from 0. */
export const CountOption = z.number().int().min(0);

/** A number of worker threads beside the calling one. */
export const ThreadsOption = z.number().int().min(0).max(1024);

/** A number of threads of the engine, which needs one. */
export const EngineThreadsOption = ThreadsOption.min(1);

/** A duration in milliseconds, at most the limit of a timer. */
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

/** Any function; its parameters cannot be checked. */
export type AnyFunction = (...args: never[]) => unknown;

/** A callback. */
export const CallbackOption = z.custom<AnyFunction>(
  (value) => typeof value === "function",
  "must be a function",
);

/** An object with functions under the given names, such as an instance of a class. */
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

/** A catalogue: rows as `defineEndpoint` and `loadCatalogue` make them. */
export const CatalogueOption = z.array(
  z.custom<EndpointSpec>(
    (value) =>
      isObjectWith((value as EndpointSpec | undefined)?.params, ["safeParse"]) &&
      typeof (value as EndpointSpec).path === "string",
    "must be an endpoint, as defineEndpoint makes it",
  ),
);
