import { UsageError } from "../contract/errors.js";
import { formatUsd } from "../contract/money.js";
import { omitUndefined } from "../contract/omit-undefined.js";
import { CATALOGUE } from "../contract/service/catalogue.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { Budget } from "./budget.js";
import { type Client, createClient } from "./client.js";
import { CLIENT_DEFAULTS } from "./defaults.js";
import type { Fetch } from "./lake-fetch.js";
import { createRemoteTransport } from "./remote-transport.js";
import { type RetryPolicy, systemRetryPolicy } from "./retry.js";

/** Options of {@link connect}. */
export interface ConnectOptions {
  /** Where the service is: everything before `/v1`. */
  readonly baseUrl: string | URL;
  readonly apiKey: string;
  /** Time one attempt may take, ms; 30 s by default. */
  readonly timeoutMs?: number;
  /** How 429 and 503 are tried again; what is left out keeps its default. `{ retries: 0 }` turns it off. */
  readonly retry?: Partial<RetryPolicy>;
  /** Most that this client may spend, USD; a call that could pass it is not made. No limit by default. */
  readonly budgetUsd?: string | number;
  /** Endpoints to know beyond or instead of those that ship with Mirrorlake. */
  readonly catalogue?: readonly EndpointSpec[];
  /** What sends requests; the global `fetch` by default. `lake.fetch` makes the lake answer. */
  readonly fetch?: Fetch;
}

/** A client of a service elsewhere. */
export interface RemoteClient extends Client {
  readonly baseUrl: string;
  /** USD spent through this client so far, 6 decimals; calls that got no answer count at their price. */
  readonly spentUsd: string;
}

/**
 * Opens a typed client over a network: the same calls as {@link openLake}, answered by the service at `baseUrl`.
 * No request is made until the first call.
 * @throws UsageError `invalid_base_url`, `invalid_api_key`, `invalid_amount`, `invalid_timeout`
 */
export function connect(options: ConnectOptions): RemoteClient {
  const baseUrl = baseUrlOf(options.baseUrl);
  const budget = new Budget(options.budgetUsd);
  const transport = createRemoteTransport({
    baseUrl,
    apiKey: apiKeyOf(options.apiKey),
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs: timeoutOf(options.timeoutMs ?? CLIENT_DEFAULTS.timeoutMs),
    retry: { ...systemRetryPolicy, ...omitUndefined(options.retry ?? {}) },
    budget,
  });
  return {
    ...createClient(options.catalogue ?? CATALOGUE, transport),
    baseUrl,
    get spentUsd() {
      return formatUsd(budget.spent);
    },
  };
}

function baseUrlOf(given: string | URL): string {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  if (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.search === "" &&
    url.hash === "" &&
    url.username === ""
  )
    return url.href.replace(/\/+$/, "");
  throw new UsageError("invalid_base_url", `Not a base URL: ${String(given)}`, {
    value: String(given),
    remedy: "Give an http or https URL without query and credentials, such as http://127.0.0.1:8080.",
  });
}

function apiKeyOf(apiKey: string): string {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new UsageError("invalid_api_key", "The API key is empty or has characters that no header can carry", {
    value: undefined,
    remedy: "Give the key as the service's console (or mirrorlake keys create) showed it.",
  });
}

function timeoutOf(timeoutMs: number): number {
  if (Number.isSafeInteger(timeoutMs) && timeoutMs > 0 && timeoutMs < 2 ** 31) return timeoutMs;
  throw new UsageError("invalid_timeout", `Not a time in milliseconds: ${timeoutMs}`, {
    value: timeoutMs,
    remedy: "Give a whole number of milliseconds, 1 or more.",
  });
}
