import { z } from "zod";
import { didYouMean, nearestName } from "../../../contract/nearest-name.js";
import { brokenRules } from "../../../contract/rule-text.js";
import { shown } from "../../../contract/shown-value.js";

/**
 * Says what is wrong with the form of a document, in words that follow the place: `is missing`, `must be an array, not "*.csv"`. Of a name
 * that is nearly another it says which one was probably meant.
 */
export function formRule(schema: z.ZodType, document: unknown, issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(schema, issue.path);
    const [key] = issue.keys;
    return `has no key ${JSON.stringify(key)}${didYouMean(nearestName(key!, known))}`;
  }
  const value = valueAt(document, issue.path);
  const words = wordsOf(issue);
  if (words === "required" || (issue.code === "invalid_type" && value === undefined))
    return `is missing${written(schema, document, issue.path)}`;
  const isOther = ["invalid_type", "invalid_value", "invalid_union"].includes(issue.code);
  return isOther && words !== issue.message ? `${words}, not ${shown(value)}` : words;
}

/** The value at a place of a document; undefined where there is none. */
export function valueAt(document: unknown, path: readonly PropertyKey[]): unknown {
  let value = document;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return value;
}

function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_union" && "options" in issue && Array.isArray(issue.options))
    return `must be one of ${issue.options.join(", ")}`;
  if (issue.code === "invalid_type" && issue.expected === "record") return "must be an object";
  return brokenRules(issue)[0]?.words ?? issue.message;
}

/** The unknown name beside a missing key that was probably written for it. */
function written(schema: z.ZodType, document: unknown, path: readonly PropertyKey[]): string {
  const [around, key] = [path.slice(0, -1), path.at(-1)];
  const known = new Set(keysAt(schema, around));
  const unknown = Object.keys(valueAt(document, around) ?? {}).filter((name) => !known.has(name));
  const near = nearestName(String(key), unknown);
  return near === undefined ? "" : `; is ${JSON.stringify(near)} meant for it?`;
}

/** The keys that objects at a place may have, of all branches of unions. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const [key, ...rest] = path;
  return branchesOf(schema).flatMap((branch) => {
    if (branch instanceof z.ZodArray && key !== undefined) return keysAt(branch.element as z.ZodType, rest);
    if (branch instanceof z.ZodRecord && key !== undefined)
      return keysAt(branch.valueType as z.ZodType, rest);
    if (!(branch instanceof z.ZodObject)) return [];
    if (key === undefined) return Object.keys(branch.shape);
    const member = branch.shape[String(key)] as z.ZodType | undefined;
    return member === undefined ? [] : keysAt(member, rest);
  });
}

function branchesOf(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodReadonly)
    return branchesOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe) return branchesOf(schema.in as z.ZodType);
  if (schema instanceof z.ZodLazy) return branchesOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodUnion) return (schema.options as z.ZodType[]).flatMap(branchesOf);
  return [schema];
}
