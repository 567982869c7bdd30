import { performance } from "node:perf_hooks";
import { z } from "zod";
import { type CanonicalRequest, requestKey, sentBody } from "../cassette/canonical-request.js";
import { plainJson } from "../cassette/exact-json.js";
import { exactJsonOf } from "../cassette/parse-exact-json.js";
import { type Cassette, readCassette } from "../cassette/read-cassette.js";
import type { FetchFunction } from "../cassette/record-fetch.js";
import type { RecordedCall } from "../cassette/recorded-call.js";
import { checkOptions, optionsSchema } from "../contract/check-options.js";
import { ApiError } from "../contract/errors.js";
import { CallbackOption, PathOption, SignalOption, TextOption } from "../contract/option-schemas.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { compareAnswers } from "./compare-answers.js";
import { type Tolerances, TolerancesOption } from "./difference.js";
import { type DifferenceGroup, type FoundDifference, groupDifferences } from "./group-differences.js";
import { type Observation, observationsOf } from "./observations.js";

/** Options of {@link driftReport}. */
export interface DriftOptions {
  readonly cassette: string;
  /** What answers now: `lake.fetch`, or a `fetch` that knows the remote's address and key. */
  readonly fetch: FetchFunction;
  /** Base URL before `/v1`; needed by a `fetch` over a network. */
  readonly baseUrl?: string | undefined;
  /** Key of the requests; recordings have none. */
  readonly apiKey: string;
  readonly tolerances?: Tolerances | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What changed since a recording, and what it says about assumptions. */
export interface DriftReport {
  /** Different requests that were asked again. */
  readonly requests: number;
  /** `local` is the recording, `remote` the answer now. */
  readonly differences: readonly DifferenceGroup[];
  /** What the recording says about what was assumed. */
  readonly observations: readonly Observation[];
}

/** Status of an answer to a key that is none (service.md section 5). */
const KEY_REFUSED = 401;

const OPTIONS = optionsSchema<DriftOptions>(() => ({
  cassette: PathOption,
  fetch: CallbackOption as unknown as z.ZodType<FetchFunction>,
  baseUrl: TextOption.optional(),
  apiKey: z.string(),
  tolerances: TolerancesOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * Asks the requests of a cassette again, each once, and compares the answers with the recorded ones. Answers 429, which say how busy
 * the service was, are left out. The calls are charged by what answers them. Where the key is refused from the first answer on, nothing
 * more is asked.
 * @throws UsageError `invalid_options`; CassetteError `cassette_unreadable`; ApiError `invalid_api_key`; the error of `fetch`; the
 * signal's reason
 */
export async function driftReport(
  options: DriftOptions,
  catalogue: readonly EndpointSpec[],
): Promise<DriftReport> {
  checkOptions(OPTIONS, options, "driftReport");
  const { signal, tolerances } = options;
  const cassette = await readCassette(options.cassette);
  const found: FoundDifference[] = [];
  let requests = 0;
  let isKeyAccepted = false;
  for (const call of distinctCalls(cassette)) {
    signal?.throwIfAborted();
    requests += 1;
    const now = await ask(call.request, options);
    const { status, json, text } = call.response;
    if (now.status === KEY_REFUSED && status !== KEY_REFUSED && !isKeyAccepted) throw keyRefused();
    isKeyAccepted ||= now.status !== KEY_REFUSED;
    if (now.status === 429) continue;
    const recorded = { status, body: json ?? text, ms: call.ms };
    const endpoint = endpointOf(call.request, catalogue);
    for (const difference of compareAnswers(recorded, now, tolerances))
      found.push({ ...difference, endpoint });
  }
  return {
    requests,
    differences: groupDifferences(found),
    observations: observationsOf(cassette, catalogue),
  };
}

function keyRefused(): ApiError {
  return new ApiError("invalid_api_key", {
    message: "Invalid API key: the service refuses the key that its answers are to be compared with",
  });
}

/** Id of a request's endpoint; method and path of one that is in no row. */
export function endpointOf(
  { method, path }: Pick<CanonicalRequest, "method" | "path">,
  catalogue: readonly EndpointSpec[],
): string {
  return catalogue.find((row) => row.path === path && row.method === method)?.id ?? `${method} ${path}`;
}

function distinctCalls({ calls }: Cassette): RecordedCall[] {
  const byRequest = new Map<string, RecordedCall>();
  for (const call of calls) {
    const key = requestKey(call.request);
    if (!byRequest.has(key) && call.response.status !== 429) byRequest.set(key, call);
  }
  return [...byRequest.values()];
}

async function ask(request: CanonicalRequest, options: DriftOptions) {
  const { method, path, query = {} } = request;
  const params = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) for (const value of values) params.append(name, value);
  const search = params.size === 0 ? "" : `?${params}`;
  const started = performance.now();
  const response = await options.fetch(`${options.baseUrl ?? "http://mirrorlake.invalid"}${path}${search}`, {
    method,
    headers: { authorization: `Bearer ${options.apiKey}`, "content-type": "application/json" },
    body: sentBody(request),
    signal: options.signal,
  });
  const text = await response.text();
  const ms = performance.now() - started;
  const json = exactJsonOf(text); // a 500 is plain text
  return { status: response.status, body: json === undefined ? text : plainJson(json), ms };
}
