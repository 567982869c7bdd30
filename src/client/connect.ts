import { randomUUID } from "node:crypto";
import { z } from "zod";
import { checkOptions, optionsSchema } from "../contract/check-options.js";
import { ConnectionError, UsageError } from "../contract/errors.js";
import { CallbackOption, CountOption } from "../contract/option-schemas.js";
import { CATALOGUE } from "../contract/service/catalogue.js";
import { serviceBaseUrl } from "../contract/service/endpoint.js";
import { NETWORK_DEFAULTS } from "../network/defaults.js";
import { createSender } from "../network/sender.js";
import { Budget } from "./budget.js";
import { type Client, createClient } from "./client.js";
import { type ClientOptions, clientOptionSchemas, retryPolicyOf, timeoutOf } from "./client-options.js";
import { CLIENT_DEFAULTS } from "./defaults.js";
import { governTransport } from "./governed-transport.js";
import type { Fetch } from "./lake-fetch.js";
import { OpenCalls } from "./open-calls.js";
import { createRemoteTransport, neverSent } from "./remote-transport.js";

/** Options of {@link connect}. */
export interface ConnectOptions extends ClientOptions {
  /** Base URL of the service: everything before `/v1`. */
  readonly baseUrl: string | URL;
  /**
   * Function that sends requests, such as the global `fetch`; default: one of its own, which survives hostile servers. With
   * `lake.fetch` the lake answers.
   */
  readonly fetch?: Fetch | undefined;
  /** Most bytes of an answer, decompressed; default: 16 MiB. A larger one is ConnectionError `answer_too_large`. */
  readonly maxAnswerBytes?: number | undefined;
  /** Called when an answer states another charge than the catalogue, or none that can be read; its price then counts. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** A client of a service over a network. */
export interface RemoteClient extends Client {
  /** Base URL of the service, without `/v1` and trailing slash. */
  readonly baseUrl: string;
}

const OPTIONS = optionsSchema<ConnectOptions>(() => ({
  ...clientOptionSchemas(),
  baseUrl: z.union([z.string(), z.instanceof(URL)]),
  fetch: CallbackOption.optional(),
  maxAnswerBytes: CountOption.min(1).optional(),
  onNotice: CallbackOption.optional(),
}));

/**
 * Creates a typed client over a network, with the same calls as {@link openLake}. It sends no request before the first
 * call.
 * @throws UsageError `invalid_options`, `invalid_base_url`, `invalid_api_key`, `invalid_amount`, `invalid_timeout`
 */
export function connect(options: ConnectOptions): RemoteClient {
  checkOptions(OPTIONS, options, "connect");
  const baseUrl = baseUrlOf(options.baseUrl);
  const transport = createRemoteTransport({
    baseUrl,
    apiKey: apiKeyOf(options.apiKey),
    fetch: options.fetch ?? createSender(),
    maxAnswerBytes: options.maxAnswerBytes ?? NETWORK_DEFAULTS.maxBodyBytes,
  });
  const budget = new Budget(options.budgetUsd);
  const governed = governTransport(transport, {
    budget,
    retry: retryPolicyOf(options),
    timeoutMs: timeoutOf(options.timeoutMs) ?? CLIENT_DEFAULTS.timeoutMs,
    name: baseUrl,
    costsNothing: neverSent,
    // What a given function asks may have ids of its own, as a test lake has.
    ids: options.fetch === undefined ? randomUUID : undefined,
    onNotice: options.onNotice,
  });
  const calls = new OpenCalls(() => clientClosed(baseUrl));
  const client = createClient(options.catalogue ?? CATALOGUE, {
    transport: governed,
    budget,
    calls,
    end: async () => {},
  });
  return Object.assign(client, { baseUrl });
}

function clientClosed(baseUrl: string): ConnectionError {
  return new ConnectionError("client_closed", `The client of ${baseUrl} is closed`, {
    value: baseUrl,
    remedy: "Connect again, or close the client later.",
  });
}

function baseUrlOf(given: string | URL): string {
  const base = serviceBaseUrl(given);
  if (base !== undefined) return base;
  throw new UsageError("invalid_base_url", `Not a base URL: ${String(given)}`, {
    value: String(given),
    remedy: "Give an http or https URL without query and credentials, such as http://127.0.0.1:8080.",
  });
}

function apiKeyOf(apiKey: string | undefined): string {
  if (apiKey === undefined)
    throw new UsageError("invalid_api_key", "connect needs an API key, and apiKey is undefined", {
      value: undefined,
      remedy: "Give apiKey; if it comes from the environment, set the variable.",
    });
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new UsageError("invalid_api_key", "The API key is empty or has characters that no header can carry", {
    value: undefined,
    remedy: "Give the key as the service's console (or mirrorlake keys create) showed it.",
  });
}
