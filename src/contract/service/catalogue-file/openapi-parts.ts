import type { Json, JsonObject } from "../../json.js";
import { asList, asObject, asSchema, dereferenced, inlinedValue } from "./openapi-refs.js";

/** Where an operation stands in a document. */
export interface OperationPlace {
  readonly method: "GET" | "POST";
  /** Values of the path parameters that the path contains literally. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly item: JsonObject;
  readonly document: JsonObject;
}

/** Headers that every call may have, so that nothing is lost without them (OpenAPI ignores the first three as parameters). */
const COMMON_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "content-type",
  "authorization",
  "x-api-key",
  "x-request-id",
]);

/** Reads the parameters of an operation as a JSON Schema, references inlined as `$defs`. `lost` says what it could not read. */
export function paramsOf(
  operation: JsonObject,
  place: OperationPlace,
): { readonly schema: JsonObject; readonly lost: readonly string[] } {
  const lost: string[] = [];
  const bare = place.method === "POST" ? bodyOf(operation, place, lost) : queryOf(operation, place, lost);
  const schema = asSchema(bare, place.document, (ref) => lost.push(anyValue("a parameter", ref)));
  return { schema, lost };
}

/**
 * Reads the JSON Schema of `data` in the envelope of the 200 response, or of the range `2XX`; undefined if the document has none.
 * `lost` says what it could not read.
 */
export function answersOf(
  operation: JsonObject,
  document: JsonObject,
): { readonly schema: JsonObject | undefined; readonly lost: readonly string[] } {
  const lost: string[] = [];
  const responses = asObject(operation.responses);
  const given = responses["200"] ?? responses["2XX"] ?? responses["2xx"];
  const response = inlinedValue(given, document);
  if (given !== undefined && response === undefined)
    lost.push(`its answers are of any shape: ${referenceOf(given)} leads nowhere`);
  const stated = jsonOf(asObject(response));
  const envelope = dereferenced(stated, document);
  const { data } = asObject(envelope.properties);
  if (data === undefined) {
    if (Object.keys(stated).length > 0)
      lost.push("its answers are of any shape: their schema is no envelope with data");
    return { schema: undefined, lost };
  }
  const schema = asSchema(asObject(data), document, (ref) =>
    lost.push(anyValue("a part of its answers", ref)),
  );
  return { schema, lost };
}

function bodyOf(operation: JsonObject, { document }: OperationPlace, lost: string[]): JsonObject {
  const given = operation.requestBody;
  const body = inlinedValue(given, document);
  const stated = jsonOf(asObject(body));
  const schema = inlinedValue(stated, document);
  if (given !== undefined && body === undefined)
    lost.push(`it takes no parameters: its body ${referenceOf(given)} leads nowhere`);
  else if (schema === undefined)
    lost.push(`it takes no parameters: the schema of its body, ${referenceOf(stated)}, leads nowhere`);
  else if (given !== undefined && Object.keys(stated).length === 0)
    lost.push("it takes no parameters: its body has no schema of JSON");
  return { type: "object", ...asObject(schema) };
}

function queryOf(
  operation: JsonObject,
  { item, document, fixed }: OperationPlace,
  lost: string[],
): JsonObject {
  const properties: [string, Json][] = [];
  const required: string[] = [];
  for (const given of [...asList(item.parameters), ...asList(operation.parameters)]) {
    const parameter = asObject(inlinedValue(given, document));
    const name = String(parameter.name);
    if (parameter.name === undefined) lost.push(`it lacks a parameter: ${referenceOf(given)} leads nowhere`);
    else if (parameter.in === "query" || parameter.in === "path") {
      if (Object.hasOwn(fixed, name)) continue;
      const { description, schema } = parameter;
      if (parameter.required !== true && dereferenced(asObject(schema), document).type === "object") {
        lost.push(`it lacks the parameter ${name}: it takes an object, which a URL cannot hold`);
        continue;
      }
      properties.push([
        name,
        typeof description === "string" ? { description, ...asObject(schema) } : asObject(schema),
      ]);
      if (parameter.required === true) required.push(name);
    } else if (!COMMON_HEADERS.has(name.toLowerCase()))
      lost.push(`it lacks the parameter ${name}: it is no part of the query or the path`);
  }
  return { type: "object", properties: Object.fromEntries(properties), required };
}

/** Schema of a body's or a response's JSON; empty if it has none. */
function jsonOf(message: JsonObject): JsonObject {
  const content = asObject(message.content);
  const type = Object.keys(content).find((name) => /^application\/(?:[^;\s]+\+)?json\s*(?:;|$)/i.test(name));
  return type === undefined ? {} : asObject(asObject(content[type]).schema);
}

function referenceOf(value: Json | undefined): string {
  const { $ref } = asObject(value);
  return typeof $ref === "string" ? $ref.slice(0, 200) : "what stands there";
}

function anyValue(what: string, ref: string): string {
  return `${what} is of any shape: ${ref.slice(0, 200)} leads nowhere`;
}
