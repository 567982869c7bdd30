import type { z } from "zod";
import { ApiError } from "../contract/errors.js";
import type { AnyParams } from "./client.js";
import { refuseMistyped } from "./refuse-mistyped.js";

/**
 * Encodes parameters as a query string; a list becomes a repeated parameter, undefined values are omitted.
 * @param requestId of errors, which are as those of the service
 * @param schema of the parameters, whose types the values must have; undefined where it is unknown, and for values that are text
 * @throws ApiError `invalid_params` for a value of another type, and for one that no query string says: an empty list, say, would be
 * no filter at all
 */
export function queryText(params: AnyParams, requestId: string, schema?: z.ZodObject): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params ?? {}))
    if (Array.isArray(value) && value.length === 0)
      throw invalid(requestId, name, "must not be an empty list");
  if (schema !== undefined) refuseMistyped(schema, params ?? {}, requestId);
  for (const [name, value] of Object.entries(params ?? {})) {
    const elements: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const element of elements) {
      if (element === undefined) continue;
      if (typeof element !== "string" && typeof element !== "number" && typeof element !== "boolean")
        throw invalid(requestId, name, "must be a string, a number or a boolean");
      query.append(name, String(element));
    }
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/**
 * Encodes parameters as JSON.
 * @param requestId of errors
 * @throws ApiError `invalid_params` for a value that JSON has not, which `JSON.stringify` would leave out or fail at
 */
export function bodyText(params: AnyParams, requestId: string): string {
  for (const [name, value] of Object.entries(params ?? {})) {
    try {
      JSON.stringify(value, refuseOthers);
    } catch (cause) {
      throw invalid(requestId, name, "must be a value of JSON", cause);
    }
  }
  return JSON.stringify(params ?? null);
}

function refuseOthers(_name: string, value: unknown): unknown {
  if (typeof value === "function" || typeof value === "symbol") throw new TypeError(`a ${typeof value}`);
  return value;
}

function invalid(requestId: string, name: string, problem: string, cause?: unknown): ApiError {
  return new ApiError("invalid_params", { message: `${name}: ${problem}`, requestId, cause });
}
