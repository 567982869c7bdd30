import { z } from "zod";
import type { Json, JsonObject } from "../json.js";
import { VECTOR_DIMENSIONS, Vector } from "../records.js";

/** Names the schemas that a document states once and refers to; other metadata is that of the schemas themselves. */
class NamedSchemas extends z.core.$ZodRegistry<Record<string, unknown>> {
  override get<S extends z.core.$ZodType>(schema: S) {
    const own = super.get(schema) as Record<string, unknown> | undefined;
    const given = z.globalRegistry.get(schema) as Record<string, unknown> | undefined;
    return (own === undefined && given === undefined ? undefined : { ...given, ...own }) as never;
  }
}

/** Turns zod schemas into JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1). */
export class JsonSchemas {
  readonly #names = new NamedSchemas();
  readonly #definitions: Record<string, JsonObject> = {};
  readonly #nameless = new Map<string, string>();

  constructor(named: Readonly<Record<string, z.ZodType>>) {
    for (const [id, schema] of Object.entries(named)) this.#names.add(schema, { id });
  }

  /** Definitions that the schemas converted so far refer to, by name. */
  get definitions(): Readonly<Record<string, JsonObject>> {
    return Object.fromEntries(Object.entries(this.#definitions).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The schema of what a caller sends (`input`: defaults may be left out) or receives (`output`). */
  convert(schema: z.ZodType, io: "input" | "output"): JsonObject {
    const {
      $schema: _,
      $defs = {},
      ...converted
    } = z.toJSONSchema(schema, { io, metadata: this.#names, unrepresentable: "any", override }) as Record<
      string,
      Json
    >;
    const definitions = Object.entries($defs as Record<string, JsonObject>);
    const names = new Map(definitions.map(([name, definition]) => [name, this.#nameOf(name, definition)]));
    for (const [name, definition] of definitions) {
      this.#definitions[names.get(name)!] = tidy(definition, names) as JsonObject;
    }
    return tidy(converted, names) as JsonObject;
  }

  /** zod counts nameless recursive schemas anew in every conversion; here each content has one name. */
  #nameOf(name: string, definition: JsonObject): string {
    if (!name.startsWith("__schema")) return name;
    const content = JSON.stringify(definition).replaceAll(`#/$defs/${name}"`, '#"');
    const known = this.#nameless.get(content) ?? `Recursive${this.#nameless.size + 1}`;
    this.#nameless.set(content, known);
    return known;
  }
}

/** A vector is an array of numbers on the wire, a typed array only in process. */
function override({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: object }): void {
  if (zodSchema !== (Vector as z.core.$ZodType)) return;
  for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Record<string, unknown>)[key];
  const size = { minItems: VECTOR_DIMENSIONS, maxItems: VECTOR_DIMENSIONS };
  Object.assign(jsonSchema, { type: "array", items: { type: "number" }, ...size });
}

/** Points references at the document's components, and drops `id`, which only names a definition. */
function tidy(value: Json, names: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value)) return value.map((item: Json) => tidy(item, names));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => !(key === "id" && typeof member === "string"))
      .map(([key, member]) => [
        key,
        key === "$ref" && typeof member === "string" ? toComponent(member, names) : tidy(member, names),
      ]),
  );
}

function toComponent(ref: string, names: ReadonlyMap<string, string>): string {
  const name = ref.replace("#/$defs/", "");
  return `#/components/schemas/${names.get(name) ?? name}`;
}
