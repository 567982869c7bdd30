import { randomUUID } from "node:crypto";
import type { Account } from "../account/account.js";
import { EndpointCaps } from "../account/endpoint-caps.js";
import { type OpenAccountOptions, openAccount } from "../account/open-account.js";
import { openMemoryAccount } from "../account/open-memory-account.js";
import { type Clock, systemClock } from "../clock.js";
import { UsageError } from "../contract/errors.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { Timestamp } from "../contract/service/unified-record.js";
import { HANDLERS } from "../endpoints/handlers.js";
import { Lake } from "../lake/lake.js";
import { catalogueOf } from "../lake/lake-catalogue.js";
import type { LakeOpenOptions } from "../lake/open/open-view.js";
import { readSettings } from "../lake/settings.js";
import { JsonBodyWriter } from "../service/json-body.js";
import { createService, type Service, type ServiceOptions } from "../service/pipeline.js";
import { type Client, createClient, type Transport } from "./client.js";
import { createFetch, type Fetch } from "./lake-fetch.js";
import { type LakeQueries, lakeQueries } from "./lake-queries.js";
import { OpenCalls } from "./open-calls.js";

/** The "now" that `freshness` is measured from: newest capture, the service clock, or an instant (ms, ISO 8601, Date). */
export type AsOf = "corpus" | "system" | number | string | Date;

/** Options of {@link openLake}. */
export interface LakeClientOptions
  extends LakeOpenOptions,
    Pick<OpenAccountOptions, "durability" | "onNotice" | "openingBalance"> {
  /** A key of the lake's account; without one, the client makes itself a key with every scope that ends with it. */
  readonly apiKey?: string;
  /**
   * Whose keys, quota, balance and ledger: the `lake`'s own, shared by all its processes and kept in its folder (the
   * default), or an account in `memory` that begins anew and ends with this client.
   */
  readonly account?: "lake" | "memory";
  /** The service clock: rate windows, caps, quota months. The machine's own by default. */
  readonly clock?: Clock;
  readonly asOf?: AsOf;
  /** `off` takes the minute window and the per-second caps away, for bulk analysis; prices and quota stay. */
  readonly limits?: "on" | "off";
  /** Endpoints of the service. By default those that ship with Mirrorlake, with the rows of the lake's catalogue file. */
  readonly catalogue?: readonly EndpointSpec[];
  /** Source of request ids: strings of UUID shape. Random by default. */
  readonly ids?: () => string;
  /** Told of every exception behind a 500 or 503. */
  readonly onError?: ServiceOptions["onError"];
}

/** A client of a lake in this process. */
export interface LakeClient extends Client, LakeQueries {
  /** The key that this client calls with; `fetch` and servers over the same service take it too. */
  readonly apiKey: string;
  /** A drop-in for the global `fetch`: the lake answers, whatever the base URL. */
  readonly fetch: Fetch;
  /** The pipeline itself, for doors of one's own. */
  readonly service: Service;
  readonly account: Account;
  readonly lake: Lake;
  /** Moves on to the newest generation, if another process has installed one. */
  refresh(): Promise<void>;
  /**
   * Waits for the calls that are under way, then lets go of the lake and its account; of a stream (`sqlStream`, `arrow`) it
   * waits for the item that is being made. Every call from then on fails with LakeError `lake_closed`. Closing again waits for
   * the same.
   */
  close(): Promise<void>;
  /** Closes the client: `await using lake = await openLake(path)`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a lake and the service over it, in this process. `await openLake("my-lake")` is all that it needs: the
 * account and a key come of themselves.
 * @throws LakeError when the folder is no lake or cannot be read
 * @throws UsageError `invalid_as_of`
 */
export async function openLake(path: string, options: LakeClientOptions = {}): Promise<LakeClient> {
  const asOf = toAsOf(options.asOf ?? "corpus");
  const { clock = systemClock, limits = "on" } = options;
  const [lake, account] = await openBoth(path, { ...options, clock, limits });
  try {
    const catalogue = options.catalogue ?? (await catalogueOf(path, lake.settings));
    const apiKey = options.apiKey ?? account.sessionKey(["*"]);
    const calls = new OpenCalls(path);
    const service = closable(
      calls,
      createService({
        lake,
        account,
        caps: new EndpointCaps(clock),
        catalogue,
        handlers: HANDLERS,
        clock,
        asOf,
        limits,
        ids: options.ids ?? randomUUID,
        onError: options.onError,
      }),
    );
    const close = () => calls.close(() => account.close().finally(() => lake.close()));
    return {
      ...createClient(catalogue, createLocalTransport(service, apiKey)),
      ...lakeQueries(lake, calls),
      fetch: createFetch(service, new JsonBodyWriter()),
      service,
      apiKey,
      account,
      lake,
      refresh: () => calls.run(() => lake.refresh()),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await account.close();
    await lake.close();
    throw error;
  }
}

/** Opens the lake and, once it is known to be one, its account beside it. */
async function openBoth(path: string, options: LakeClientOptions): Promise<[Lake, Account]> {
  const settings = readSettings(path);
  const opening = Lake.open(path, options);
  const account = settings.then(() => accountOf(path, options));
  const [lake, opened] = await Promise.allSettled([opening, account]);
  if (lake.status === "fulfilled" && opened.status === "fulfilled") return [lake.value, opened.value];
  if (lake.status === "fulfilled") await lake.value.close();
  if (opened.status === "fulfilled") await opened.value.close();
  return [await opening, await account];
}

async function accountOf(path: string, options: LakeClientOptions): Promise<Account> {
  return options.account === "memory" ? openMemoryAccount(options) : openAccount(path, options);
}

/** Calls the service in process: values in, values out, no JSON text. */
export function createLocalTransport(service: Service, apiKey: string): Transport {
  return {
    send: ({ method, path }, params, { signal, textual = false }) =>
      service.call({
        method,
        path,
        apiKey,
        ...(method === "GET" ? { query: params, textual } : { body: params }),
        signal,
      }),
  };
}

/** The service while the client is open. */
function closable(calls: OpenCalls, service: Service): Service {
  return {
    catalogue: service.catalogue,
    call: (request) => calls.run(() => service.call(request)),
  };
}

function toAsOf(asOf: AsOf): "corpus" | "system" | number {
  if (asOf === "corpus" || asOf === "system") return asOf;
  const isText = typeof asOf === "string";
  const ms = isText ? (Timestamp.safeParse(asOf).success ? Date.parse(asOf) : Number.NaN) : Number(asOf);
  if (Number.isSafeInteger(ms)) return ms;
  throw new UsageError("invalid_as_of", `Not an instant: ${String(asOf)}`, {
    value: asOf,
    remedy: 'Use "corpus", "system", a Date, milliseconds, or a time such as 2026-05-29T12:00:00Z.',
  });
}
