import { z } from "zod";
import { ApiError } from "../contract/errors.js";
import { rule } from "../contract/rule-text.js";

/** What a JSON number looks like. */
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/**
 * Converts the text of URL query parameters to the types of a schema: numbers, booleans, and lists for parameters that
 * may be repeated. Where a schema takes values of several types, text stays text if that is valid, else the first type that
 * is. Invalid text and unknown keys pass through, for the schema to reject.
 * @throws ApiError `invalid_params` for a repeated single-valued parameter
 */
export function fromText(
  schema: z.ZodObject,
  query: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values = Object.create(null) as Record<string, unknown>;
  for (const [name, given] of Object.entries(query)) {
    const field = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.core.$ZodType) : undefined;
    values[name] = field === undefined ? given : read(name, field, Array.isArray(given) ? given : [given]);
  }
  return values;
}

/**
 * Converts a URL query for {@link fromText}: a string for a parameter given once, a list for a repeated one. The object
 * has no prototype, so a parameter can be named `__proto__`.
 */
export function queryOf(search: URLSearchParams): Record<string, string | string[]> {
  const query = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of search) {
    const before = query[name];
    if (before === undefined) query[name] = value;
    else if (typeof before === "string") query[name] = [before, value];
    else before.push(value);
  }
  return query;
}

function read(name: string, field: z.core.$ZodType, texts: readonly unknown[]): unknown {
  const branches = branchesOf(field);
  const lists = branches.flatMap((branch) => elementOf(branch) ?? []);
  if (lists.length === 0) {
    if (texts.length === 1) return typed(field, branches, texts[0]);
    throw new ApiError("invalid_params", { message: rule([name], "must be given once") });
  }
  if (texts.length === 1 && lists.length < branches.length) {
    const value = typed(field, branches, texts[0]);
    if (accepts(field, value)) return value;
  }
  const readings = lists.map((element) => texts.map((text) => typed(element, branchesOf(element), text)));
  return readings.find((list) => accepts(field, list)) ?? readings[0];
}

function typed(schema: z.core.$ZodType, branches: readonly z.core.$ZodType[], text: unknown): unknown {
  if (typeof text !== "string") return text;
  const others = [...new Set(branches.flatMap((branch) => converted(branch, text)))];
  if (others.length === 0) return text;
  return [text, ...others].find((value) => accepts(schema, value)) ?? others[0];
}

/** The text as a number or a boolean, if the branch takes such values. */
function converted(branch: z.core.$ZodType, text: string): readonly (number | boolean)[] {
  const { type, values = [] } = branch._zod.def as { type: string; values?: readonly unknown[] };
  const takes = (kind: "number" | "boolean") =>
    type === kind || (type === "literal" && values.some((value) => typeof value === kind));
  if (NUMBER.test(text)) return takes("number") ? [Number(text)] : [];
  return (text === "true" || text === "false") && takes("boolean") ? [text === "true"] : [];
}

function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  return z.safeParse(schema, value).success;
}

/** Schema of a list's items; undefined if the branch is no list. */
function elementOf(branch: z.core.$ZodType): z.core.$ZodType | undefined {
  const { type, element } = branch._zod.def as { type: string; element?: z.core.$ZodType };
  return type === "array" ? element : undefined;
}

/**
 * What a schema is made of: the branches of unions and intersections, without optional, default, nullable and read-only
 * wrappers, and of a pipe its input side.
 */
function branchesOf(schema: z.core.$ZodType, seen = new Set<z.core.$ZodType>()): z.core.$ZodType[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const def = schema._zod.def as {
    readonly innerType?: z.core.$ZodType;
    readonly in?: z.core.$ZodType;
    readonly options?: readonly z.core.$ZodType[];
    readonly left?: z.core.$ZodType;
    readonly right?: z.core.$ZodType;
    readonly getter?: () => z.core.$ZodType;
  };
  const parts = def.options ?? [def.left, def.right, def.innerType ?? def.in ?? def.getter?.()];
  const inside = parts.filter((part) => part !== undefined);
  return inside.length === 0 ? [schema] : inside.flatMap((part) => branchesOf(part, seen));
}
