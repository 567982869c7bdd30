import { type WindowParams, windowOf } from "../contract/service/shared-params.js";

/** Validated parameters of a generic endpoint; its catalogue row chooses the names. */
export type GenericParams = Readonly<Record<string, unknown>>;

/** Common parameters of generic endpoints; a row declares the ones it has. */
export interface CommonParams extends WindowParams {
  readonly q?: string;
  readonly lang?: string;
  readonly sort?: string;
  readonly cursor?: number;
  readonly count?: number;
}

/** Items per page if a row has no parameter `count`. */
const DEFAULT_COUNT = 20;

/** Returns the value of the named parameter as text; undefined without a name or value. */
export function named(params: GenericParams, name: string | undefined): string | undefined {
  const value = name === undefined ? undefined : params[name];
  return value === undefined ? undefined : String(value);
}

/** Returns offset and size of the requested page. */
export function pageOfParams({ cursor = 0, count = DEFAULT_COUNT }: CommonParams): {
  offset: number;
  limit: number;
} {
  return { offset: cursor, limit: count };
}

/** Returns the window of `from` and `to` as bounds of creation, ms since the Unix epoch. */
export function createdWindowOf(params: CommonParams): { createdFromMs?: number; createdToMs?: number } {
  const { fromMs, toMs } = windowOf(params);
  return {
    createdFromMs: fromMs,
    createdToMs: toMs,
  };
}
