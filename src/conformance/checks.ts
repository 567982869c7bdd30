import assert from "node:assert/strict";
import { z } from "zod";
import { ERRORS, type ErrorCode } from "../contract/errors.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { type Envelope, ErrorEnvelope, envelopeSchema } from "../contract/service/envelope.js";
import type { UnifiedRecord } from "../contract/service/unified-record.js";
import type { Outcome, Subject, World } from "./rule.js";

const ANY_ENVELOPE = envelopeSchema(z.unknown());

/** The envelope of a success, checked for its shape. */
export function envelopeOf<Data = unknown>(outcome: Outcome): Envelope<Data> {
  expectStatus(outcome, 200, "200");
  fits(ANY_ENVELOPE, outcome.body);
  return outcome.body as Envelope<Data>;
}

/** Asserts an error envelope of the given code and its status. */
export function expectError(outcome: Outcome, code: ErrorCode): ErrorEnvelope["error"] {
  expectStatus(outcome, ERRORS[code].status, code);
  const { error } = fits(ErrorEnvelope, outcome.body);
  assert.equal(error.code, code);
  return error;
}

/** Asserts a 400 `invalid_params` whose message names the parameter. */
export function expectInvalid(outcome: Outcome, parameter: string): void {
  const { message } = expectError(outcome, "invalid_params");
  assert.ok(message.includes(parameter), `the message should name ${parameter}: ${message}`);
}

/** Asserts that a value matches a schema; the error names the first mismatches. */
export function fits<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 3).map(({ path, message }) => `${path.join(".")}: ${message}`);
  return assert.fail(issues.join("; "));
}

/** An endpoint's row of the catalogue. */
export function rowOf({ catalogue }: Pick<Subject, "catalogue">, id: string): EndpointSpec {
  const found = catalogue.find((endpoint) => endpoint.id === id);
  assert.ok(found !== undefined, `no endpoint ${id}`);
  return found;
}

/** Every record of a search for the sample query in the widest window, at most 100. */
export async function sampleRecords(
  subject: Subject | World,
  samples: Subject["samples"],
  params: Readonly<Record<string, unknown>> = {},
): Promise<readonly UnifiedRecord[]> {
  const outcome = await subject.call("search", {
    query: samples.query,
    freshness: "90d",
    limit: 100,
    ...params,
  });
  const { data } = envelopeOf<UnifiedRecord[]>(outcome);
  assert.ok(Array.isArray(data) && data.length > 0, "expected records");
  return data;
}

function expectStatus({ status, body }: Outcome, expected: number, name: string): void {
  // A body can hold a hundred vectors: it is written out for a failure only.
  if (status !== expected)
    assert.equal(status, expected, `expected ${name}, got ${status}: ${describe(body)}`);
}

function describe(body: unknown): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return (text ?? "nothing").slice(0, 200);
}
