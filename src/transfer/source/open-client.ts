import { PullError, UsageError } from "../../contract/errors.js";
import { PULL_DEFAULTS } from "../pull/defaults.js";
import type { TransferOptions } from "../pull/open-source.js";
import type { AttemptPolicy } from "./attempts.js";
import { systemEnvironment } from "./environment.js";
import { HttpClient } from "./http-client.js";
import { RateLimiter } from "./rate-limiter.js";

/** A client for an address, and how often it tries. */
export interface OpenedClient {
  readonly client: HttpClient;
  readonly policy: AttemptPolicy;
}

/**
 * Opens a client whose key and headers are for the origin of an address.
 * @throws PullError `offline`; UsageError `invalid_rate`
 */
export function openClient(
  source: string,
  origin: string,
  options: TransferOptions,
  signal: AbortSignal | undefined,
): OpenedClient {
  const { environment = systemEnvironment, key, headers, maxBytesPerSecond } = options;
  if (options.offline) {
    throw new PullError("offline", `${source} is on a network, and this is to stay offline`, {
      value: source,
      remedy: "pull from a folder or a .zip, or do without --offline",
    });
  }
  if (maxBytesPerSecond !== undefined && !(maxBytesPerSecond > 0 && Number.isFinite(maxBytesPerSecond))) {
    throw new UsageError("invalid_rate", `Not a number of bytes a second: ${maxBytesPerSecond}`, {
      value: maxBytesPerSecond,
      remedy: "give a positive number, or none for no limit",
    });
  }
  const client = new HttpClient({
    environment,
    key,
    headers,
    origin,
    stallMs: options.stallMs ?? PULL_DEFAULTS.stallMs,
    rate: maxBytesPerSecond === undefined ? undefined : new RateLimiter(maxBytesPerSecond, environment),
    signal,
  });
  const retries = options.retries ?? PULL_DEFAULTS.retries;
  return { client, policy: { retries, environment, signal } };
}
