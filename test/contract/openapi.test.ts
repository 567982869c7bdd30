import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { formatUsd } from "../../src/contract/money.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { envelopeSchema } from "../../src/contract/service/envelope.js";
import { exampleAnswer } from "../../src/contract/service/openapi/example-answer.js";
import { openApiDocument } from "../../src/contract/service/openapi/openapi-document.js";

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: object; example?: object }>> };
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const document = openApiDocument(CATALOGUE);
const paths = document.paths as unknown as Paths;
const text = JSON.stringify(document);

describe("OpenAPI document", () => {
  test("is valid OpenAPI 3.1, references included", async () => {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(text));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(validator.version).toBe("3.1");
    const refs = [...text.matchAll(/"\$ref":"#\/components\/([^"/]+)\/([^"]+)"/g)];
    expect(refs.length).toBeGreaterThan(100);
    const components = document.components as Record<string, Record<string, unknown>>;
    for (const [, kind, name] of refs) expect(components[kind!], `${kind}/${name}`).toHaveProperty([name!]);
    expect(text).not.toContain("$defs");
  });

  test("has an operation for every row, with its price, cap, markers and label", () => {
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    );
    expect(operations).toHaveLength(CATALOGUE.length);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(CATALOGUE.length);
    for (const endpoint of CATALOGUE) {
      const found = operations.find(
        ({ path, method }) => path === endpoint.path && method === endpoint.method,
      );
      expect(found?.operation).toMatchObject({
        tags: [endpoint.group],
        "x-endpoint-id": endpoint.id,
        "x-price-usd": formatUsd(endpoint.price),
        "x-cap-per-second": endpoint.capPerSecond,
        "x-free-eligible": endpoint.freeEligible,
        "x-maturity": endpoint.maturity,
        "x-availability": endpoint.availability,
        "x-scope": endpoint.scope,
        "x-label": endpoint.label,
      });
    }
  });

  test("has an example answer for every row, which the row's schema takes", () => {
    for (const endpoint of CATALOGUE) {
      const answer = exampleAnswer(endpoint);
      expect(answer, endpoint.id).toBeDefined();
      expect(envelopeSchema(endpoint.data).safeParse(answer).error, endpoint.id).toBeUndefined();
    }
    expect(text.split('"example":{"request_id"')).toHaveLength(CATALOGUE.length + 1);
    expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  test("states the parameters of sections 4.1 and 4.2 in full", () => {
    const body = paths["/v1/search"]!.post!.requestBody!.content["application/json"]!;
    expect(body.schema).toMatchObject({
      required: ["query"],
      additionalProperties: false,
      properties: {
        query: { type: "string", minLength: 1, maxLength: 500 },
        domains: { type: "array", uniqueItems: true, items: { enum: ["social", "ecommerce", "web"] } },
        platforms: { type: "array", uniqueItems: true },
        freshness: { type: "string", pattern: "^[0-9]+(h|d)$", default: "24h" },
        format: { enum: ["records", "vectors+provenance"], default: "vectors+provenance" },
        limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
      },
    });
    expect(body.example).toBeDefined();
    expect(paths["/v1/raw/short-video/comments"]!.get!.parameters).toMatchObject([
      { name: "item_id", in: "query", required: true, schema: { type: "string", pattern: "^[0-9]{15,20}$" } },
      { name: "cursor", in: "query", required: false, schema: { type: "integer", minimum: 0, default: 0 } },
      { name: "count", in: "query", required: false, schema: { minimum: 1, maximum: 50, default: 20 } },
      { $ref: "#/components/parameters/RequestId" },
    ]);
  });

  test("says of every call that it may name its id", () => {
    for (const item of Object.values(paths))
      for (const { operationId, parameters } of Object.values(item))
        expect(parameters, operationId).toContainEqual({ $ref: "#/components/parameters/RequestId" });
    const { parameters } = document.components as { parameters: object };
    expect(parameters).toMatchObject({
      RequestId: { name: "X-Request-Id", in: "header", required: false, schema: { type: "string" } },
    });
  });

  test("names both key headers and the version of the description", () => {
    expect(document).toMatchObject({
      info: { version: "0.1.0" },
      security: [{ bearer: [] }, { apiKey: [] }],
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer" },
          apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        },
        schemas: { UnifiedRecord: { properties: { vec: { minItems: 1536, maxItems: 1536 } } } },
      },
    });
  });

  test("has no schema that refers to itself, which some generators make types of that do not compile", () => {
    const { schemas } = document.components as { schemas: Record<string, unknown> };
    const referred = (value: unknown) =>
      [...JSON.stringify(value).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
        ([, name]) => name!,
      );
    const below = (name: string, path: readonly string[] = []): void => {
      expect(path, [...path, name].join(" > ")).not.toContain(name);
      for (const next of referred(schemas[name])) below(next, [...path, name]);
    };
    for (const name of Object.keys(schemas)) below(name);
    expect(schemas.Comment).toMatchObject({ properties: { images: { type: "array", items: {} } } });
    expect(schemas.RawRecord).toHaveProperty("properties.extra.additionalProperties", {});
  });

  test("has patterns that mean the same with and without Unicode mode, in whatever quotes", () => {
    const patterns = new Set(
      [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, one]) => JSON.parse(one!)),
    );
    expect(patterns.size).toBeGreaterThan(10);
    for (const pattern of patterns) expect(pattern).not.toMatch(/\\(?:\/|p\{|u\{)/i);
    const { components } = document as unknown as {
      components: { schemas: { UnifiedRecord: { properties: { id: { pattern: string } } } } };
    };
    const { id } = components.schemas.UnifiedRecord.properties;
    for (const flags of ["", "u", "v"]) {
      const shape = new RegExp(id.pattern, flags);
      for (const good of ["web_gnw_Cap{1}", "soc_svd_\u6c34\u{1f4a7}"]) expect(good).toMatch(shape);
      for (const bad of ["web_gnw_", "web_gnw_a b", "web_gnw_a\u0000", "web_gnw_a\u0085"])
        expect(bad).not.toMatch(shape);
    }
  });
});
