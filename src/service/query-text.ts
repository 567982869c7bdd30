import type { z } from "zod";
import { ApiError } from "../contract/errors.js";
import { rule } from "../contract/rule-text.js";

type Kind = "number" | "boolean" | "array" | "other";

/**
 * Converts the text of URL query parameters to the types of a schema: numbers, booleans, and lists for parameters that
 * may be repeated. Invalid text and unknown keys pass through, for the schema to reject.
 * @throws ApiError `invalid_params` for a repeated single-valued parameter
 */
export function fromText(
  schema: z.ZodObject,
  query: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values = Object.create(null) as Record<string, unknown>;
  for (const [name, given] of Object.entries(query)) {
    const field = Object.hasOwn(schema.shape, name)
      ? inner(schema.shape[name] as z.core.$ZodType)
      : undefined;
    const texts = Array.isArray(given) ? given : [given];
    if (field === undefined) values[name] = given;
    else if (kindOf(field) === "array") values[name] = texts.map((text) => typed(elementOf(field), text));
    else if (texts.length === 1) values[name] = typed(field, texts[0]);
    else throw new ApiError("invalid_params", { message: rule([name], "must be given once") });
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

/** Unwraps optional, default, nullable and read-only schemas and the input side of a pipe. */
function inner(schema: z.core.$ZodType): z.core.$ZodType {
  let current = schema;
  for (;;) {
    const def = current._zod.def as { type: string; innerType?: z.core.$ZodType; in?: z.core.$ZodType };
    const next = def.innerType ?? def.in;
    if (next === undefined) return current;
    current = next;
  }
}

function kindOf(schema: z.core.$ZodType): Kind {
  const { type } = schema._zod.def;
  return type === "number" || type === "boolean" || type === "array" ? type : "other";
}

function elementOf(schema: z.core.$ZodType): z.core.$ZodType {
  return inner((schema._zod.def as unknown as { element: z.core.$ZodType }).element);
}

function typed(schema: z.core.$ZodType, text: unknown): unknown {
  if (typeof text !== "string") return text;
  const kind = kindOf(schema);
  if (kind === "number" && /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(text)) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
