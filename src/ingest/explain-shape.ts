import { z } from "zod";
import { UsageError } from "../contract/errors.js";
import { didYouMean, nearestName } from "../contract/nearest-name.js";
import { rawShape, SHAPED_RESOURCES } from "../contract/service/raw-shapes.js";
import { BareRecord } from "../contract/service/unified-record.js";
import { BASE_MEANINGS, FIELD_MEANINGS, RESOURCE_MEANINGS } from "./field-meanings.js";

/** One field of a shape. */
export interface ShapeField {
  /** Dotted name, as `data` and `fields` of a mapping name it. */
  readonly name: string;
  /** `string`, `integer ≥ 0`, `list of string`, `instant`, … */
  readonly type: string;
  readonly required: boolean;
  /** What it holds, with its unit. */
  readonly meaning: string;
}

/** What the data of a resource has to look like. */
export interface ExplainedShape {
  /** `record`, or the name of a resource. */
  readonly resource: string;
  readonly meaning: string;
  /** Whether fields that are not listed are kept; otherwise they are refused. */
  readonly open: boolean;
  readonly fields: readonly ShapeField[];
}

/** Names that {@link explainShape} knows: `record`, then the resources with a shape. */
export const EXPLAINED: readonly string[] = ["record", ...SHAPED_RESOURCES];

/** Fields of a record that ingestion fills in: no mapping names them. Raw data has them of its record. */
const FILLED = /^(?:id|src|platform|lang|prov|vec)(?:\.|$)/;

/**
 * Lists the fields of the unified record or of a resource's data, from the schemas that ingestion checks them with.
 * @throws UsageError `unknown_resource`, with the name that was probably meant
 */
export function explainShape(resource: string): ExplainedShape {
  if (!EXPLAINED.includes(resource)) {
    throw new UsageError(
      "unknown_resource",
      `${resource} has no shape${didYouMean(nearestName(resource, EXPLAINED))}`,
      {
        value: resource,
        remedy: `name one of ${EXPLAINED.join(", ")}; the data of any other resource is not checked`,
      },
    );
  }
  const platform = resource === "video" ? "short-video" : "";
  const shape = resource === "record" ? BareRecord : rawShape(platform, resource)!;
  const schema = z.toJSONSchema(shape, { io: "input", unrepresentable: "any" }) as JsonSchema;
  const all = fieldsOf(schema, "", true);
  const fields = resource === "record" ? all.filter(({ name }) => !FILLED.test(name)) : all;
  const hasRecord = resource !== "record" && "prov" in (schema.properties ?? {});
  return {
    resource,
    meaning: RESOURCE_MEANINGS[resource] ?? "",
    open: schema.additionalProperties !== false,
    fields: hasRecord ? fields.map(filledByBase) : fields,
  };
}

/** A field of data that has those of a record: what `"base": "record"` fills in says so. */
function filledByBase(field: ShapeField): ShapeField {
  const meaning = BASE_MEANINGS[field.name];
  return meaning === undefined
    ? field
    : { ...field, meaning: `${meaning}; filled in by \`"base": "record"\`` };
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

function fieldsOf(schema: JsonSchema, prefix: string, needed: boolean): ShapeField[] {
  const named = Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    const name = `${prefix}${key}`;
    const required = needed && (schema.required ?? []).includes(key);
    if (member.properties !== undefined && Object.keys(member.properties).length > 0) {
      return fieldsOf(member, `${name}.`, required);
    }
    const meaning = FIELD_MEANINGS[name] ?? FIELD_MEANINGS[key] ?? "";
    return [{ name, type: typeOf(member), required, meaning }];
  });
  const others = schema.additionalProperties;
  if (prefix === "" || typeof others !== "object" || others === null || !isTyped(others)) return named;
  const meaning = "whatever else there is, by a name of your own (letters, digits, _)";
  return [...named, { name: `${prefix}…`, type: typeOf(others), required: false, meaning }];
}

/** Whether a schema says something: further members of any kind are told by `open`. */
function isTyped(schema: JsonSchema): boolean {
  return schema.type !== undefined || schema.anyOf !== undefined;
}

function typeOf(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  if (schema.enum !== undefined) return schema.enum.map(String).join(", ");
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}`;
  if (schema.format === "date-time") return "instant";
  if (schema.format === "date") return "date";
  if (schema.type === "integer" || schema.type === "number") {
    const { type, minimum, maximum } = schema;
    const bounded = (bound: number | undefined): bound is number =>
      bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
    if (bounded(minimum) && bounded(maximum)) return `${type} from ${minimum} to ${maximum}`;
    return bounded(minimum) ? `${type} ≥ ${minimum}` : type;
  }
  return String(schema.type ?? "any");
}
