import type { z } from "zod";
import { ERRORS } from "../../errors.js";
import type { Json, JsonObject } from "../../json.js";
import { formatUsd } from "../../money.js";
import { omitUndefined } from "../../omit-undefined.js";
import type { EndpointSpec } from "../endpoint.js";
import { EXAMPLE_REQUEST_ID, exampleAnswer } from "./example-answer.js";
import type { JsonSchemas } from "./json-schema.js";
import { answerHeaders, errorHeaders, RESPONSE_HEADERS } from "./response-headers.js";

/** Errors of every operation: names of responses in the document's components. */
export const RESPONSE_NAMES: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "InvalidApiKey",
  402: "InsufficientCredits",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  429: "RateLimited",
  500: "ServerError",
  502: "BadGateway",
  503: "ServiceUnavailable",
  504: "GatewayTimeout",
};

/** The id of a call, which every operation takes. It has no example: an id that is sent twice is one call. */
const REQUEST_ID = { $ref: "#/components/parameters/RequestId" };

/** Operation id for code generators: `raw.short-video.video` → `raw_short_video_video`. */
export function operationId(id: string): string {
  return id.replace(/[^A-Za-z0-9]+/g, "_");
}

/** The Operation Object of a catalogue row (OpenAPI 3.1.1 section 4.8.10). */
export function operationOf(endpoint: EndpointSpec, schemas: JsonSchemas): JsonObject {
  const { id, summary, group, params, data, method, example } = endpoint;
  const schema = schemas.convert(params, "input");
  const answer = exampleAnswer(endpoint);
  return {
    operationId: operationId(id),
    summary,
    description: describe(endpoint),
    tags: [group],
    ...(method === "GET"
      ? { parameters: [...queryParameters(schema, endpoint), REQUEST_ID] }
      : {
          parameters: [REQUEST_ID],
          requestBody: {
            required: true,
            content: {
              "application/json": omitUndefined({ schema, example }),
            },
          },
        }),
    responses: {
      200: {
        description: "The result; empty or null where there is none.",
        headers: answerHeaders(endpoint.operation),
        content: {
          "application/json": omitUndefined({
            schema: schemas.convertAnswer(data),
            example: answer,
          }),
        },
      },
      ...Object.fromEntries(
        Object.entries(RESPONSE_NAMES).map(([status, name]) => [
          status,
          { $ref: `#/components/responses/${name}` },
        ]),
      ),
    },
    ...extensionsOf(endpoint),
  };
}

/** The row's fields without an OpenAPI equivalent, as `x-` fields. An import of the document reads them back. */
function extensionsOf(endpoint: EndpointSpec): JsonObject {
  const { platform, resource, operation, options } = endpoint;
  return {
    "x-endpoint-id": endpoint.id,
    "x-price-usd": formatUsd(endpoint.price),
    "x-cap-per-second": endpoint.capPerSecond,
    "x-free-eligible": endpoint.freeEligible,
    "x-maturity": endpoint.maturity,
    "x-availability": endpoint.availability,
    "x-scope": endpoint.scope,
    "x-label": endpoint.label,
    "x-operation": operation,
    ...(Object.keys(options).length === 0 ? {} : { "x-options": options }),
    ...(platform === undefined ? {} : { "x-platform": platform }),
    ...(resource === undefined ? {} : { "x-resource": resource }),
  };
}

function describe(endpoint: EndpointSpec): string {
  const { price, capPerSecond, freeEligible, scope, label, maturity, availability } = endpoint;
  const cost = price === 0n ? "free of charge" : `${formatUsd(price)} USD a call that answers something`;
  return [
    `Scope \`${scope}\`. Price: ${cost}${freeEligible ? "; the monthly free quota covers it" : ""}.`,
    `At most ${capPerSecond} calls a second from all accounts together.`,
    `Maturity ${maturity}, availability ${availability}; this description is ${label}.`,
  ].join(" ");
}

/** A Parameter Object for each member of the parameters' schema. Lists are repeated: `by=day&by=key`. */
function queryParameters(schema: JsonObject, { example = {}, path }: EndpointSpec): Json[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonObject>>;
  const required = (schema.required ?? []) as readonly string[];
  return Object.entries(properties).map(([name, property]) => {
    const inPath = path.includes(`{${name}}`);
    const { description, ...rest } = property;
    return omitUndefined({
      name,
      in: inPath ? "path" : "query",
      required: inPath || required.includes(name),
      description,
      ...(property.type === "array" ? { style: "form", explode: true } : {}),
      schema: rest,
      example: example[name],
    });
  });
}

/** The components that operations reference: errors, headers, keys. */
export function sharedComponents(schemas: JsonSchemas, errorEnvelope: z.ZodType): JsonObject {
  const envelope = schemas.convert(errorEnvelope, "output");
  return {
    securitySchemes: {
      bearer: { type: "http", scheme: "bearer", description: "`Authorization: Bearer <API_KEY>`" },
      apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
    },
    parameters: {
      RequestId: {
        name: "X-Request-Id",
        in: "header",
        required: false,
        description:
          "The id of the call, best a UUID of its own. Repeated with it and with the same parameters, the call is charged once.",
        schema: { type: "string" },
      },
    },
    headers: RESPONSE_HEADERS,
    responses: Object.fromEntries(
      Object.entries(RESPONSE_NAMES).map(([status, name]) => [name, errorResponse(Number(status), envelope)]),
    ),
  };
}

function errorResponse(status: number, envelope: JsonObject): JsonObject {
  if (status === 405) {
    const schema = { type: "object", properties: { detail: { type: "string" } }, required: ["detail"] };
    const example = { detail: "Method Not Allowed" };
    return {
      description: "A method that the path does not take. Not charged.",
      headers: errorHeaders(status),
      content: { "application/json": { schema, example } },
    };
  }
  if (status === 500) {
    return {
      description: "An unexpected error; the body may be plain text. Not charged.",
      headers: errorHeaders(status),
      content: { "text/plain": { schema: { type: "string" }, example: "Internal Server Error" } },
    };
  }
  const codes = Object.entries(ERRORS).filter(([, error]) => error.status === status);
  const examples = Object.fromEntries(
    codes.map(([code, { message }]) => [
      code,
      { value: { error: { code, message, request_id: EXAMPLE_REQUEST_ID } } },
    ]),
  );
  return {
    description: `${codes.map(([code, { message }]) => `\`${code}\`: ${message}`).join(". ")}. Not charged.`,
    headers: errorHeaders(status),
    content: { "application/json": { schema: envelope, examples } },
  };
}
