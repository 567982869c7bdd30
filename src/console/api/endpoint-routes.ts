import { performance } from "node:perf_hooks";
import { z } from "zod";
import { formatUsd } from "../../contract/money.js";
import type { EndpointSpec } from "../../contract/service/endpoint.js";
import { JsonSchemas } from "../../contract/service/openapi/json-schema.js";
import type { CallAnswer, EndpointAnswer, EndpointFormAnswer } from "../answers.js";
import { ConsoleError } from "../console-error.js";
import { route } from "../route.js";
import { samplesOf } from "../samples.js";
import { shorten } from "../shorten.js";

/** The rows of the catalogue. */
export const endpointsRoute = route({
  method: "GET",
  path: "endpoints",
  params: z.strictObject({}),
  answer: async (_params, { lake }): Promise<readonly EndpointAnswer[]> =>
    lake.service.catalogue.map(endpointAnswer),
});

function endpointAnswer(row: EndpointSpec): EndpointAnswer {
  const { id, group, method, path, platform, resource, operation, scope } = row;
  const { maturity, availability, label, summary } = row;
  return {
    ...{
      id,
      group,
      method,
      path,
      platform,
      resource,
      operation,
      scope,
      maturity,
      availability,
      label,
      summary,
    },
    price_usd: formatUsd(row.price),
    cap_per_second: row.capPerSecond,
    free_eligible: row.freeEligible,
  };
}

/** One row with the schema of its parameters and ids that the lake holds. */
export const endpointRoute = route({
  method: "GET",
  path: "endpoint",
  params: z.strictObject({ id: z.string().max(200) }),
  answer: async ({ id }, { lake, facts }): Promise<EndpointFormAnswer> => {
    const { catalogue } = lake.service;
    const row = rowOf(catalogue, id);
    const replies = catalogue.find(
      ({ platform, resource }) => platform === row.platform && resource === "replies",
    );
    return {
      ...endpointAnswer(row),
      params: new JsonSchemas({}).convert(row.params, "input"),
      samples: await facts.get(`samples ${id}`, () =>
        lake.lake.use(({ corpus }) => samplesOf(row, corpus, lake.sql)),
      ),
      replies: row.resource === "comments" ? replies?.id : undefined,
    };
  },
});

/** Calls a GET endpoint of raw data, with parameters as texts. */
export const callRoute = route({
  method: "POST",
  path: "call",
  params: z.strictObject({
    id: z.string().max(200),
    params: z.record(z.string().max(100), z.string().max(2_000)),
  }),
  answer: async ({ id, params }, { lake, calls, signal }): Promise<CallAnswer> => {
    const row = rowOf(lake.service.catalogue, id);
    if (row.platform === undefined || row.method !== "GET")
      throw new ConsoleError(400, "invalid_params", "Only endpoints of raw data can be called here");
    const started = performance.now();
    const answer = await calls.call({ method: "GET", path: row.path, query: params, textual: true, signal });
    const { status, headers, body } = answer;
    const facts = {
      status,
      ms: Math.round(performance.now() - started),
      price_usd: formatUsd(row.price),
      hint: headers["X-Mirrorlake-Hint"],
    };
    if (typeof body === "object" && "data" in body)
      return { ...facts, data: shorten(body.data, LONGEST_TEXT).value, empty: body.meta.empty };
    if (typeof body === "object" && "error" in body)
      return {
        ...facts,
        data: null,
        empty: true,
        error: { code: body.error.code, message: body.error.message },
      };
    const message = typeof body === "string" ? body : body.detail;
    return { ...facts, data: null, empty: true, error: { code: String(status), message } };
  },
});

/** Texts of raw data are shown whole unless they are as long as a book. */
const LONGEST_TEXT = 100_000;

function rowOf(catalogue: readonly EndpointSpec[], id: string): EndpointSpec {
  const row = catalogue.find((each) => each.id === id);
  if (row !== undefined) return row;
  throw new ConsoleError(404, "not_found", "The catalogue has no endpoint of this id");
}
