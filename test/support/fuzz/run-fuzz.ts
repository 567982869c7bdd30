import assert from "node:assert/strict";
import { z } from "zod";
import type { Account, AccountState } from "../../../src/account/account.js";
import { fits } from "../../../src/conformance/checks.js";
import type { Outcome, WireRequest } from "../../../src/conformance/rule.js";
import { ERRORS } from "../../../src/contract/errors.js";
import { parseUsd } from "../../../src/contract/money.js";
import type { EndpointSpec } from "../../../src/contract/service/endpoint.js";
import {
  type Envelope,
  ErrorEnvelope,
  envelopeSchema,
  METHOD_NOT_ALLOWED,
} from "../../../src/contract/service/envelope.js";
import { fuzzRequest } from "./fuzz-request.js";
import { Random } from "./random.js";

/** What a fuzz run drives. */
export interface FuzzTarget {
  readonly catalogue: readonly EndpointSpec[];
  readonly account: Account;
  send(request: WireRequest): Promise<Outcome>;
}

/** Answers by status. */
export type FuzzReport = Readonly<Record<string, number>>;

/** Longest that one answer may take, ms: a hang, not slowness, is what is looked for. */
const HANG_MS = 30_000;

/** Paths longer than this may be too long for an HTTP server. */
const LONG_PATH = 60_000;

const anyEnvelope = envelopeSchema(z.unknown());
const ERROR_STATUSES: ReadonlySet<number> = new Set(Object.values(ERRORS).map(({ status }) => status));

/**
 * Sends random requests one after the other and checks every answer: a shape that the service may give, no 500, and no
 * money or quota moved but as a 200 says.
 * @throws AssertionError with the seed and the request that broke it
 */
export async function runFuzz(target: FuzzTarget, count: number, seed: number): Promise<FuzzReport> {
  const random = new Random(seed);
  const { account, catalogue } = target;
  const keys = { full: account.sessionKey(["*"]), narrow: account.sessionKey(["raw:forum"]) };
  const report: Record<string, number> = {};
  for (let i = 0; i < count; i++) {
    const request = fuzzRequest(random, catalogue, keys);
    const before = await account.state();
    try {
      const outcome = await answerOf(target, request);
      await check(outcome, request, before, account);
      report[outcome.status] = (report[outcome.status] ?? 0) + 1;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      assert.fail(`seed ${seed}, request ${i}: ${reason}\n${JSON.stringify(request).slice(0, 2000)}`);
    }
  }
  return report;
}

async function answerOf({ send }: FuzzTarget, request: WireRequest): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${HANG_MS} ms`)), HANG_MS);
  });
  try {
    return await Promise.race([send(request), hang]);
  } finally {
    clearTimeout(timer);
  }
}

async function check(
  { body, headers, status }: Outcome,
  request: WireRequest,
  before: AccountState,
  account: Account,
): Promise<void> {
  const { balance, freeQuotaRemaining } = await account.state();
  if (status === 200) {
    const { meta } = fits(anyEnvelope, body) as Envelope;
    if (!request.path.startsWith("/v1/account/topup"))
      assert.equal(
        balance,
        before.balance - parseUsd(meta.charged_usd),
        "the balance moves by what was charged",
      );
    if (meta.empty) assert.equal(meta.billed || meta.used_free_quota, false, "an empty answer is free");
    return;
  }
  assert.deepEqual(
    [balance, freeQuotaRemaining],
    [before.balance, before.freeQuotaRemaining],
    "an error is free",
  );
  if (status === 405) {
    if (request.method !== "HEAD") assert.deepEqual(body, METHOD_NOT_ALLOWED);
    return;
  }
  if (status === 431 && request.path.length > LONG_PATH) return; // a server's own limit, below the service
  assert.ok(ERROR_STATUSES.has(status), `status ${status}`);
  assert.ok(status < 500, `status ${status}: ${JSON.stringify(body)}`);
  const { error } = fits(ErrorEnvelope, body);
  assert.equal(ERRORS[error.code].status, status);
  assert.equal(headers["x-request-id"], error.request_id);
}
