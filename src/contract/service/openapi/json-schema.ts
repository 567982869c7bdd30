import { z } from "zod";
import { type Json, type JsonObject, JsonValue } from "../../json.js";
import { envelopeSchema } from "../envelope.js";
import { VECTOR_DIMENSIONS, Vector } from "../unified-record.js";

/** Registers the schemas that a document defines once and references; other metadata stays on the schemas. */
class NamedSchemas extends z.core.$ZodRegistry<Record<string, unknown>> {
  override get<S extends z.core.$ZodType>(schema: S) {
    const own = super.get(schema) as Record<string, unknown> | undefined;
    const given = z.globalRegistry.get(schema) as Record<string, unknown> | undefined;
    return (own === undefined && given === undefined ? undefined : { ...given, ...own }) as never;
  }
}

/** Turns zod schemas into JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1). */
export class JsonSchemas {
  private readonly names = new NamedSchemas();
  private readonly byName: Record<string, JsonObject> = {};
  private readonly nameless = new Map<string, string>();
  private readonly answers = new Map<z.ZodType, JsonObject>();

  /**
   * @param named schemas that are defined once
   * @param prefix location of the definitions in the document
   */
  constructor(
    named: Readonly<Record<string, z.ZodType>>,
    private readonly prefix = "#/components/schemas/",
  ) {
    for (const [id, schema] of Object.entries(named)) this.names.add(schema, { id });
    this.names.add(JsonValue, { id: ANY });
  }

  /** Definitions referenced by the schemas converted so far, by name. */
  get definitions(): Readonly<Record<string, JsonObject>> {
    return Object.fromEntries(Object.entries(this.byName).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The schema of a value that a caller sends (`input`: defaults are optional) or receives (`output`). */
  convert(schema: z.ZodType, io: "input" | "output"): JsonObject {
    const {
      $schema: _,
      $defs = {},
      ...converted
    } = z.toJSONSchema(schema, { io, metadata: this.names, unrepresentable: "any", override }) as Record<
      string,
      Json
    >;
    const definitions = Object.entries($defs as Record<string, JsonObject>).filter(([name]) => name !== ANY);
    const names = new Map(definitions.map(([name, definition]) => [name, this.nameOf(name, definition)]));
    for (const [name, definition] of definitions) {
      this.byName[names.get(name)!] = this.tidy(definition, names) as JsonObject;
    }
    return this.tidy(converted, names) as JsonObject;
  }

  /** The schema of an answer with `data`. Most endpoints share theirs with others, and a conversion is dear. */
  convertAnswer(data: z.ZodType): JsonObject {
    const known = this.answers.get(data);
    if (known !== undefined) return structuredClone(known);
    const converted = this.convert(envelopeSchema(data), "output");
    this.answers.set(data, converted);
    return converted;
  }

  /** zod numbers unnamed recursive schemas again in each conversion; here equal content has one name. */
  private nameOf(name: string, definition: JsonObject): string {
    if (!name.startsWith("__schema")) return name;
    const content = JSON.stringify(definition).replaceAll(`#/$defs/${name}"`, '#"');
    const known = this.nameless.get(content) ?? `Recursive${this.nameless.size + 1}`;
    this.nameless.set(content, known);
    return known;
  }

  /**
   * Points references at the document's definitions, and drops `id`, which only names one. Any JSON value is a schema without rules: one
   * that refers to itself says no more, and becomes types that do not compile.
   */
  private tidy(value: Json, names: ReadonlyMap<string, string>): Json {
    if (Array.isArray(value)) return value.map((item: Json) => this.tidy(item, names));
    if (typeof value !== "object" || value === null) return value;
    if ("$ref" in value && value.$ref === `#/$defs/${ANY}`) return {};
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key, member]) => !(key === "id" && typeof member === "string"))
        .map(([key, member]) => [
          key,
          key === "$ref" && typeof member === "string" ? this.refer(member, names) : this.tidy(member, names),
        ]),
    );
  }

  private refer(ref: string, names: ReadonlyMap<string, string>): string {
    const name = ref.replace("#/$defs/", "");
    return `${this.prefix}${names.get(name) ?? name}`;
  }
}

/** Name of the schema of any JSON value while a schema is converted. */
const ANY = "__json";

/**
 * Describes vectors as arrays of numbers: they are typed arrays only in process. Drops the bounds of safe integers and the type of an
 * object's names, which add nothing.
 */
function override({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (isText(jsonSchema.propertyNames)) delete jsonSchema.propertyNames;
  if (jsonSchema.pattern !== undefined) jsonSchema.pattern = portable(jsonSchema.pattern);
  if (zodSchema !== (Vector as z.core.$ZodType)) return;
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
  const size = { minItems: VECTOR_DIMENSIONS, maxItems: VECTOR_DIMENSIONS };
  Object.assign(jsonSchema, { type: "array", items: { type: "number" }, ...size });
}

/** Whether a schema says of a value that it is text, and nothing else. */
function isText(schema: unknown): boolean {
  return JSON.stringify(schema) === '{"type":"string"}';
}

/**
 * A pattern that means the same to each reader. `\p{Cc}` is other characters to who reads it without Unicode mode, as generated clients
 * do, and only a literal of JavaScript escapes a slash.
 */
function portable(pattern: string): string {
  return pattern
    .replaceAll(String.raw`\p{Cc}`, String.raw`\u0000-\u001f\u007f-\u009f`)
    .replace(/\\(.)/gs, (escaped, character) => (character === "/" ? character : escaped));
}
