import type { z } from "zod";
import { didYouMean, nearestName } from "../contract/nearest-name.js";
import { brokenRules, nameOfPath } from "../contract/rule-text.js";

/** Most characters of a name or value that are compared. */
const MAX_COMPARED = 60;

/**
 * Suggests a correction of the first wrong parameter that has one: the nearest name for an unknown parameter, the nearest
 * allowed value for a wrong one; undefined if nothing is similar.
 */
export function paramsHint(
  error: z.ZodError,
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string | undefined {
  for (const { path, words, allowed = [] } of error.issues.flatMap(brokenRules)) {
    const value = words === undefined ? path.at(-1) : valueAt(given, path);
    const known = words === undefined ? names : allowed.filter((one) => typeof one === "string");
    if (typeof value !== "string" || (words === undefined && path.length > 1)) continue;
    const meant = nearestName(value.slice(0, MAX_COMPARED), known);
    if (meant === undefined) continue;
    const place = words === undefined ? "no parameter" : `${nameOfPath(path.slice(0, 1))} has no`;
    return `${place} ${JSON.stringify(value.slice(0, MAX_COMPARED))}${didYouMean(meant)}`;
  }
  return undefined;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
}
