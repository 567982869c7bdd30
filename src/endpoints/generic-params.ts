import { type WindowParams, windowOf } from "../contract/service/shared-params.js";

/** Checked parameters of a generic endpoint, whose names the row chooses. */
export type GenericParams = Readonly<Record<string, unknown>>;

/** Parameters that generic endpoints have in common; a row has those that it declares. */
export interface CommonParams extends WindowParams {
  readonly q?: string;
  readonly lang?: string;
  readonly sort?: string;
  readonly cursor?: number;
  readonly count?: number;
}

/** Items of a page where a row has no parameter `count`. */
const DEFAULT_COUNT = 20;

/** The text of a parameter that the row's options name; undefined where the options name none or it is not given. */
export function named(params: GenericParams, name: string | undefined): string | undefined {
  const value = name === undefined ? undefined : params[name];
  return value === undefined ? undefined : String(value);
}

/** Place and size of the page that is asked for. */
export function pageOfParams({ cursor = 0, count = DEFAULT_COUNT }: CommonParams): {
  offset: number;
  limit: number;
} {
  return { offset: cursor, limit: count };
}

/** The same window as bounds of creation. */
export function createdWindowOf(params: CommonParams): { createdFromMs?: number; createdToMs?: number } {
  const { fromMs, toMs } = windowOf(params);
  return {
    createdFromMs: fromMs,
    createdToMs: toMs,
  };
}
