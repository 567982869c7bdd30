import type { z } from "zod";
import { ApiError } from "../contract/errors.js";
import { brokenRules, ruleText } from "../contract/rule-text.js";
import type { AnyParams } from "./client.js";

/**
 * Refuses query parameters of another type than their row takes, as the service in process does. In a URL everything is text, so that
 * a number for a text, which may be rounded already, would arrive as the text that it is not.
 * @throws ApiError `invalid_params`
 */
export function refuseMistyped(schema: z.ZodObject, params: AnyParams, requestId: string): void {
  const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
  const issues = schema.safeParse(given).error?.issues ?? [];
  // What is missing may be in the path; that, and what has the right type, the service judges.
  const named = issues.filter(({ path }) => path.length === 0 || Object.hasOwn(given, path[0]!));
  const isMistyped = named.flatMap(brokenRules).some(({ path, expected }) => {
    const value = valueAt(given, path);
    // Where certain texts are taken, no type is named: lists, objects and null are none of them.
    return value !== undefined && (expected !== undefined || typeof value === "object");
  });
  if (isMistyped) throw new ApiError("invalid_params", { message: ruleText(named), requestId });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
}
