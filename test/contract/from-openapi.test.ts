import { describe, expect, test } from "vitest";
import { SAMPLE_CALLS } from "../../src/conformance/sample/sample-calls.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { catalogueFromOpenApi } from "../../src/contract/service/catalogue-file/from-openapi.js";
import { loadCatalogue } from "../../src/contract/service/catalogue-file/load-catalogue.js";
import { openApiDocument } from "../../src/contract/service/openapi/openapi-document.js";

const imported = (paths: object, rest: object = {}) =>
  catalogueFromOpenApi({ openapi: "3.1.0", info: {}, paths, ...rest });
const row = (rows: ReturnType<typeof loadCatalogue>, id: string) =>
  rows.find((endpoint) => endpoint.id === id)!;

describe("our own document", () => {
  const { file, notes } = catalogueFromOpenApi(openApiDocument(CATALOGUE));
  const rows = loadCatalogue([file]);

  test("comes back as every row that is not specified, each observed", () => {
    const specified = CATALOGUE.filter(({ label }) => label === "specified");
    expect(file.endpoints).toHaveLength(CATALOGUE.length - specified.length);
    expect(notes).toEqual(
      specified.map(({ method, path }) => `${method} ${path}: kept as service.md specifies it`),
    );
    const comparable = (endpoint: (typeof rows)[number]) => {
      const { params: _params, data: _data, label: _label, example: _example, ...rest } = endpoint;
      return rest;
    };
    expect(rows.map(comparable)).toEqual(CATALOGUE.map(comparable));
    expect(new Set(rows.map(({ label }) => label))).toEqual(new Set(["specified", "observed"]));
  });

  test("takes and refuses the same parameters", () => {
    for (const { id, success, empty, bad } of SAMPLE_CALLS) {
      const { params } = row(rows, id);
      if (id !== "account.keys.revoke") expect(params.safeParse(success).error, id).toBeUndefined();
      if (empty !== undefined) expect(params.safeParse(empty).error, id).toBeUndefined();
      expect(params.safeParse(bad.params).success, id).toBe(false);
    }
  });

  test("comes through JSON unchanged", () => {
    expect(JSON.parse(JSON.stringify(file))).toEqual(file);
  });
});

describe("a remote's document", () => {
  const page = {
    type: "object",
    properties: {
      items: { type: "array", items: { $ref: "#/components/schemas/Note" } },
      next: { type: "integer", nullable: true },
    },
  };
  const envelope = { type: "object", properties: { request_id: { type: "string" }, data: page, meta: {} } };
  const ok = { 200: { content: { "application/json": { schema: envelope } } } };

  test("gives an endpoint of another platform the operation of its resource, whatever its id is called", () => {
    const { file, notes } = imported(
      {
        "/raw/red-notes/comments": {
          get: {
            summary: "Comments",
            parameters: [
              { name: "noteId", in: "query", required: true, schema: { type: "string" } },
              { $ref: "#/components/parameters/Cursor" },
            ],
            responses: ok,
          },
        },
      },
      {
        openapi: "3.0.3",
        servers: [{ url: "https://api.example.com/v1/" }],
        components: {
          parameters: {
            Cursor: { name: "cursor", in: "query", schema: { type: "integer", minimum: 0, default: 0 } },
          },
          schemas: {
            Note: {
              type: "object",
              properties: {
                id: { type: "string" },
                example: { type: "string" },
                replies: { type: "array", items: { $ref: "#/components/schemas/Note" } },
              },
              required: ["id"],
            },
          },
        },
      },
    );
    expect(notes).toEqual([]);
    const endpoint = row(loadCatalogue([file]), "raw.red-notes.comments");
    expect(endpoint).toMatchObject({
      path: "/v1/raw/red-notes/comments",
      platform: "red-notes",
      operation: "list",
      options: { resource: "comment", parent: "noteId", top_level: true },
      scope: "raw:red-notes",
      label: "observed",
      summary: "Comments",
    });
    expect(endpoint.params.parse({ noteId: "n" })).toEqual({ noteId: "n", cursor: 0 });
    expect(
      endpoint.data.safeParse({ items: [{ id: "1", replies: [{ id: "2" }] }], next: null }).error,
    ).toBeUndefined();
    expect(endpoint.data.safeParse({ items: [{ id: "1", replies: [{}] }] }).success).toBe(false);
  });

  test("spells out a platform that the path leaves open", () => {
    const platform = {
      name: "platform",
      in: "path",
      required: true,
      schema: { enum: ["forum", "tea-house"] },
    };
    const { file } = imported({
      "/v1/raw/{platform}/post": {
        parameters: [platform],
        get: {
          parameters: [{ name: "post_id", in: "query", required: true, schema: { type: "string" } }],
          responses: ok,
        },
      },
    });
    expect(file.endpoints.map(({ id, path, operation }) => [id, path, operation])).toEqual([
      ["raw.forum.post", "/v1/raw/forum/post", "detail"],
      ["raw.tea-house.post", "/v1/raw/tea-house/post", "detail"],
    ]);
    expect(
      row(loadCatalogue([file]), "raw.tea-house.post").params.safeParse({ post_id: "1", platform: "forum" })
        .success,
    ).toBe(false);
  });

  test("notes what no local operation answers, and what is left out", () => {
    const { file, notes } = imported({
      "/v1/weather/{city}": {
        get: {
          parameters: [{ name: "city", in: "path", required: true, schema: { type: "string" } }],
          responses: {},
        },
      },
      "/health": { get: { responses: {} } },
      "/v1/jobs": { delete: { responses: {} }, post: { responses: {} } },
    });
    expect(file.endpoints).toMatchObject([
      { id: "weather.city.get", operation: "unmapped", method: "GET" },
      { id: "jobs.post", operation: "unmapped", method: "POST" },
    ]);
    expect(notes).toEqual([
      "GET /v1/weather/{city}: answers empty: no local operation fits it; give its row one",
      "GET /health: left out, it is not under /v1",
      "POST /v1/jobs: answers empty: no local operation fits it; give its row one",
    ]);
  });

  test("notes each part that is lost, and reads the range 2XX", () => {
    const schema = (ref: string) => ({ $ref: `#/components/${ref}` });
    const get = (parameters: unknown[], responses: object = { "2XX": ok[200] }) => ({
      get: { parameters, responses },
    });
    const json = (content: object) => ({
      content: { "application/json; charset=utf-8": { schema: content } },
    });
    const { file, notes } = imported(
      {
        "/v1/raw/red-notes/one": get([
          schema("parameters/Gone"),
          { name: "a", in: "query", schema: schema("schemas/Gone") },
          { name: "X-Trace", in: "header", schema: { type: "string" } },
          { name: "X-Api-Key", in: "header", schema: { type: "string" } },
        ]),
        "/v1/raw/red-notes/two": get([], { 200: schema("responses/Gone") }),
        "/v1/raw/red-notes/three": get([], { 200: json({ type: "array" }) }),
        "/v1/raw/red-notes/four": { post: { requestBody: schema("requestBodies/Gone"), responses: {} } },
        "/v1/raw/red-notes/five": { post: { requestBody: json(schema("schemas/Gone")), responses: {} } },
        "/v1/raw/red-notes/six": {
          post: { requestBody: json({ properties: { b: { type: "integer" } } }), responses: {} },
        },
      },
      { components: { schemas: { Note: { type: "object" } } } },
    );
    expect(notes.filter((note) => !note.includes("answers empty"))).toEqual([
      "GET /v1/raw/red-notes/one: it lacks a parameter: #/components/parameters/Gone leads nowhere",
      "GET /v1/raw/red-notes/one: it lacks the parameter X-Trace: it is no part of the query or the path",
      "GET /v1/raw/red-notes/one: a parameter is of any shape: #/components/schemas/Gone leads nowhere",
      "GET /v1/raw/red-notes/two: its answers are of any shape: #/components/responses/Gone leads nowhere",
      "GET /v1/raw/red-notes/three: its answers are of any shape: their schema is no envelope with data",
      "POST /v1/raw/red-notes/four: it takes no parameters: its body #/components/requestBodies/Gone leads nowhere",
      "POST /v1/raw/red-notes/five: it takes no parameters: the schema of its body, #/components/schemas/Gone, leads nowhere",
    ]);
    const rows = loadCatalogue([file]);
    expect(row(rows, "raw.red-notes.one").data.safeParse({ items: 3 }).success).toBe(false);
    expect(row(rows, "raw.red-notes.six").params.safeParse({ b: 3 }).success).toBe(true);
  });

  test("never replaces what is specified", () => {
    const { file, notes } = imported({ "/v1/search": { post: { responses: {} } } });
    expect(file.endpoints).toEqual([]);
    expect(notes).toEqual(["POST /v1/search: kept as service.md specifies it"]);
  });

  test.each([
    [null],
    [[]],
    [{ openapi: "2.0", paths: {} }],
    [{ openapi: "3.1.0" }],
    [{ swagger: "2.0", paths: {} }],
  ])("that is none is refused: %j", (document) => {
    expect(() => catalogueFromOpenApi(document)).toThrow(
      expect.objectContaining({ code: "invalid_openapi" }),
    );
  });
});
