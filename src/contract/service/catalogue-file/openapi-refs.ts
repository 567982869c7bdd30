import type { Json, JsonObject } from "../../json.js";

/** Longest chain of references. */
const MAX_HOPS = 50;

/** Members of a schema that hold instances, not schemas. */
const VERBATIM: ReadonlySet<string> = new Set(["enum", "const", "default", "required", "examples"]);

/** Members of a schema that map names to schemas. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "dependentSchemas",
]);

/** The value if it is an object, else an empty object. */
export function asObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** Resolves a JSON Pointer within the document (`#/components/schemas/X`, RFC 6901). */
export function pointer(document: JsonObject, ref: string): Json | undefined {
  if (!ref.startsWith("#/")) return undefined;
  let value: Json | undefined = document;
  for (const step of ref.slice(2).split("/")) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    value = Array.isArray(value)
      ? value[Number(key)]
      : Object.hasOwn(asObject(value), key)
        ? asObject(value)[key]
        : undefined;
  }
  return value;
}

/** Decodes a percent-encoded fragment; a malformed one is returned unchanged. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** Resolves a value that may be a reference. */
export function inlined(
  value: Json | undefined,
  resolve: (ref: string) => Json | undefined,
): Json | undefined {
  let current = value;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const { $ref } = asObject(current);
    if (typeof $ref !== "string") return current;
    current = resolve($ref);
  }
  return undefined;
}

/** Resolves a value of a document that may be a reference into it. */
export function inlinedValue(value: Json | undefined, document: JsonObject): Json | undefined {
  return inlined(value, (ref) => pointer(document, ref));
}

/** Resolves a schema of a document that may be a reference; an empty object if it leads nowhere. */
export function dereferenced(schema: JsonObject, document: JsonObject): JsonObject {
  return asObject(inlinedValue(schema, document));
}

/** The value if it is a list, else an empty list. */
export function asList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Converts a schema of a document to a self-contained JSON Schema. Referenced schemas go under `$defs`; `nullable` of OpenAPI 3.0
 * becomes its JSON Schema equivalent.
 * @param onLost called with each reference that leads nowhere; any value is valid in its place
 */
export function asSchema(
  schema: JsonObject,
  document: JsonObject,
  onLost?: (reference: string) => void,
): JsonObject {
  const $defs: Record<string, Json> = Object.create(null);
  const adopt = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(adopt);
    if (typeof value !== "object" || value === null) return value;
    const { nullable, ...members } = value as JsonObject;
    const adopted = Object.fromEntries(
      Object.entries(members)
        .filter(([key]) => key !== "example" && !key.startsWith("x-"))
        .map(([key, member]) => [key, adoptMember(key, member)]),
    );
    return nullable === true ? { anyOf: [adopted, { type: "null" }] } : adopted;
  };
  const adoptMember = (key: string, member: Json): Json => {
    if (key === "$ref" && typeof member === "string") return define(member);
    if (VERBATIM.has(key)) return member;
    if (!NAMED_SCHEMAS.has(key)) return adopt(member);
    return Object.fromEntries(
      Object.entries(asObject(member)).map(([name, schema]) => [name, adopt(schema)]),
    );
  };
  const define = (ref: string): string => {
    const name = ref.replace(/^#\/(components\/schemas\/)?/, "").replaceAll("/", ".");
    if (!Object.hasOwn($defs, name)) {
      $defs[name] = {};
      const target = pointer(document, ref);
      if (target === undefined) onLost?.(ref);
      $defs[name] = adopt(target ?? {});
    }
    return `#/$defs/${name}`;
  };
  const adopted = adopt(schema) as JsonObject;
  return Object.keys($defs).length === 0 ? adopted : { ...adopted, $defs };
}
