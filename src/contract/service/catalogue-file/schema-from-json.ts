import { z } from "zod";
import type { Json, JsonObject } from "../../json.js";
import { firstFault } from "../../rule-text.js";
import { FRESH, hasCharacters, isFresh, isOrdered, ORDERED, WINDOW_PATTERN } from "../shared-params.js";

/** A problem in a JSON Schema, with its path. */
export class SchemaProblem extends Error {
  override readonly name = "SchemaProblem";
  constructor(
    /** Keys from the root of the schema to the problem. */
    readonly path: readonly string[],
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/**
 * Converts a JSON Schema of an object to a parameters schema. The result is always strict: unknown parameters are rejected
 * (service.md section 1). What JSON Schema cannot say of `from` and `to`, and of `freshness`, is checked too.
 * @throws SchemaProblem
 */
export function paramsFromJson(schema: JsonObject): z.ZodObject {
  const { type = "object", properties = {}, required = [], $defs = {} } = schema;
  if (type !== "object") throw new SchemaProblem(["type"], 'must be "object"');
  if (!isObject(properties)) throw new SchemaProblem(["properties"], "must be an object");
  if (!Array.isArray(required)) throw new SchemaProblem(["required"], "must be a list of names");
  const lost = required.find((name) => !Object.hasOwn(properties, String(name)));
  if (lost !== undefined)
    throw new SchemaProblem(["required"], `names ${String(lost)}, which properties does not have`);
  const shape = Object.entries(properties).map(([name, property]) => {
    const path = ["properties", name];
    if (!isObject(property)) throw new SchemaProblem(path, "must be a JSON Schema");
    const parsed = parameterFromJson(dereferenced(property, $defs, path), $defs, path);
    return [name, required.includes(name) || "default" in property ? parsed : parsed.optional()];
  });
  let params: z.ZodObject = z.strictObject(Object.fromEntries(shape) as Record<string, z.ZodType>);
  if ("from" in properties && "to" in properties) params = params.refine(isOrdered, ORDERED);
  const { freshness } = properties;
  if (isObject(freshness) && freshness.pattern === WINDOW_PATTERN) params = params.refine(isFresh, FRESH);
  return params;
}

/**
 * Converts a JSON Schema of any value.
 * @throws SchemaProblem for unsupported keywords: `not`, `if`, references to other documents
 */
export function schemaFromJson(schema: JsonObject, path: readonly string[] = []): z.ZodType {
  try {
    return z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
  } catch (error) {
    throw new SchemaProblem(path, (error as Error).message, error);
  }
}

/**
 * One parameter. Lists and texts are built here: `uniqueItems` and lengths are checked as JSON Schema means them, and the
 * schema keeps the type by which text of a URL is read.
 */
function parameterFromJson(property: JsonObject, $defs: Json, path: readonly string[]): z.ZodType {
  const { default: fallback, description, ...rest } = property;
  const bare = { ...rest, $defs };
  let schema: z.ZodType;
  if (rest.type === "array" && isObject(rest.items)) schema = listFromJson(rest, $defs, path);
  else if (rest.type === "string" && rest.enum === undefined) schema = textFromJson(bare, path);
  else schema = schemaFromJson(bare, path);
  if (typeof description === "string") schema = schema.describe(description);
  if (fallback === undefined) return schema;
  const checked = schema.safeParse(fallback);
  if (!checked.success) throw new SchemaProblem([...path, "default"], firstFault(checked.error).words);
  return schema.default(fallback);
}

function listFromJson(property: JsonObject, $defs: Json, path: readonly string[]): z.ZodType {
  const { items, minItems = 0, maxItems = Number.MAX_SAFE_INTEGER, uniqueItems } = property;
  const element = dereferenced(items as JsonObject, $defs, [...path, "items"]);
  let schema = z.array(parameterFromJson(element, $defs, [...path, "items"]));
  if (typeof minItems === "number" && minItems > 0) schema = schema.min(minItems);
  if (typeof maxItems === "number" && maxItems < Number.MAX_SAFE_INTEGER) schema = schema.max(maxItems);
  if (uniqueItems !== true) return schema;
  return schema
    .refine(
      (list) => new Set(list.map((item) => JSON.stringify(item))).size === list.length,
      "must not repeat an item",
    )
    .meta({ uniqueItems: true });
}

function textFromJson(property: JsonObject, path: readonly string[]): z.ZodType {
  const { minLength, maxLength, ...rest } = property;
  const schema = schemaFromJson(rest, path);
  if (minLength === undefined && maxLength === undefined) return schema;
  const [min, max] = [Number(minLength ?? 0), Number(maxLength ?? Number.MAX_SAFE_INTEGER)];
  const rule = maxLength === undefined ? `at least ${min}` : `${min} to ${max}`;
  return schema
    .refine((value) => hasCharacters(value as string, min, max), `must have ${rule} characters`)
    .meta({
      minLength: minLength === undefined ? undefined : min,
      maxLength: maxLength === undefined ? undefined : max,
    });
}

/** Resolves a schema that is only a reference, and keeps the reference's annotations. */
function dereferenced(schema: JsonObject, $defs: Json, path: readonly string[], depth = 0): JsonObject {
  const { $ref, ...rest } = schema;
  if ($ref === undefined) return schema;
  const target = /^#\/\$defs\/(.+)$/.exec(String($ref))?.[1]?.replaceAll("~1", "/").replaceAll("~0", "~");
  const found = isObject($defs) && target !== undefined ? $defs[target] : undefined;
  if (!isObject(found) || depth > 20)
    throw new SchemaProblem(path, `the reference ${String($ref)} leads nowhere`);
  return { ...dereferenced(found, $defs, path, depth + 1), ...rest };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
