import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Account } from "../account/account.js";
import { EndpointCaps } from "../account/endpoint-caps.js";
import type { OpenAccountOptions } from "../account/open-account.js";
import { systemClock } from "../clock.js";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { UsageError } from "../contract/errors.js";
import { type MicroUsd, parseUsd } from "../contract/money.js";
import {
  CallbackOption,
  FlagOption,
  objectOption,
  PathOption,
  ThreadsOption,
} from "../contract/option-schemas.js";
import { Timestamp } from "../contract/service/unified-record.js";
import { HANDLERS } from "../endpoints/handlers.js";
import { Lake } from "../lake/lake.js";
import { catalogueOf } from "../lake/lake-catalogue.js";
import { lakeClosed } from "../lake/lake-closed.js";
import type { LakeOpenOptions } from "../lake/open/open-view.js";
import { readSettings } from "../lake/settings.js";
import type { Embedder } from "../search/embed/embedder.js";
import { JsonBodyWriter } from "../service/json-body.js";
import { createService, type Service, type ServiceOptions } from "../service/pipeline.js";
import { accountOf } from "./account-of.js";
import { Budget } from "./budget.js";
import { type Client, createClient, type Transport } from "./client.js";
import { type ClientOptions, clientOptionSchemas, retryPolicyOf, timeoutOf } from "./client-options.js";
import { governTransport } from "./governed-transport.js";
import { createFetch, type Fetch } from "./lake-fetch.js";
import { type LakeQueries, lakeQueries } from "./lake-queries.js";
import { OpenCalls } from "./open-calls.js";
import { type RetryPolicy, systemRetryPolicy } from "./retry.js";

/** The "now" that `freshness` is measured from: newest capture, the service clock, or an instant (ms, ISO 8601, Date). */
export type AsOf = "corpus" | "system" | number | string | Date;

/** Options of {@link openLake}. */
export interface LakeClientOptions
  extends ClientOptions,
    LakeOpenOptions,
    Pick<OpenAccountOptions, "durability" | "onNotice"> {
  /** Balance of an account that is made now: decimal USD such as `"25.000000"`; 100 by default. */
  readonly openingBalance?: string | number | MicroUsd;
  /**
   * Whose keys, quota, balance and ledger: the `lake`'s own, shared by all its processes and kept in its folder (the
   * default), or an account in `memory` that starts empty and ends with this client. With `readOnly`, and where the lake cannot be
   * written to (`onNotice` says so), it is one in memory.
   */
  readonly account?: "lake" | "memory";
  readonly asOf?: AsOf;
  /** `off` takes the minute window and the per-second caps away, for bulk analysis; prices and quota stay. */
  readonly limits?: "on" | "off";
  /** Source of request ids: strings of UUID shape. Random by default. */
  readonly ids?: () => string;
  /** Called with each exception behind a 500 or 503. */
  readonly onError?: ServiceOptions["onError"];
}

const OPTIONS = optionsSchema<LakeClientOptions>(() => ({
  ...clientOptionSchemas(),
  embedder: objectOption<Embedder>(["embedDocuments", "embedQuery"], "an embedder").optional(),
  exact: FlagOption.optional(),
  readOnly: FlagOption.optional(),
  threads: ThreadsOption.optional(),
  durability: z.enum(["strict", "relaxed"]).optional(),
  onNotice: CallbackOption.optional(),
  openingBalance: z
    .custom<string | number | MicroUsd>(
      (value) => ["string", "number", "bigint"].includes(typeof value),
      'must be decimal USD, such as "25.000000"',
    )
    .optional(),
  account: z.enum(["lake", "memory"]).optional(),
  asOf: z.union([z.string(), z.number(), z.instanceof(Date)]).optional(),
  limits: z.enum(["on", "off"]).optional(),
  ids: CallbackOption.optional(),
  onError: CallbackOption.optional(),
}));

/** A client of a lake in this process. */
export interface LakeClient extends Client, LakeQueries {
  /** The key that this client calls with; `fetch` and servers over the same service take it too. */
  readonly apiKey: string;
  /** A drop-in for the global `fetch`: the lake answers, whatever the base URL. */
  readonly fetch: Fetch;
  /** The pipeline itself, for a transport of your own. */
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
}

/**
 * Opens a lake and the service over it, in this process. `await openLake("my-lake")` is all that it needs: the
 * account and a key come of themselves.
 * @throws LakeError when the folder is no lake or cannot be read
 * @throws UsageError `invalid_argument`, `invalid_options`, `invalid_as_of`, `invalid_amount`, `invalid_timeout`
 */
export async function openLake(path: string, options: LakeClientOptions = {}): Promise<LakeClient> {
  checkArgument(PathOption, path, "path", "openLake");
  checkOptions(OPTIONS, options, "openLake");
  const asOf = toAsOf(options.asOf ?? "corpus");
  const budget = new Budget(options.budgetUsd);
  const timeoutMs = timeoutOf(options.timeoutMs);
  const { clock = systemClock, limits = "on" } = options;
  const [lake, account] = await openBoth(path, { ...options, clock, limits });
  try {
    const catalogue = options.catalogue ?? (await catalogueOf(path, lake.settings));
    const apiKey = options.apiKey ?? account.sessionKey(["*"]);
    const calls = new OpenCalls(() => lakeClosed(path));
    const pipeline = createService({
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
    });
    const transport = governTransport(createLocalTransport(pipeline, apiKey), {
      budget,
      retry: options.retry === undefined ? NO_RETRY : retryPolicyOf(options),
      timeoutMs,
      name: path,
      costsNothing: () => true, // a call that fails in process is not charged
    });
    const client = createClient(catalogue, {
      transport,
      budget,
      calls,
      end: () => account.close().finally(() => lake.close()),
    });
    const service = closable(calls, pipeline);
    return Object.assign(client, lakeQueries(lake, calls), {
      fetch: createFetch(service, new JsonBodyWriter()),
      service,
      apiKey,
      account,
      lake,
      refresh: () => calls.run(() => lake.refresh()),
    });
  } catch (error) {
    await account.close();
    await lake.close();
    throw error;
  }
}

/** The limits of a lake are the program's own to keep or to switch off: a refusal is an answer unless a retry is asked for. */
const NO_RETRY: RetryPolicy = { ...systemRetryPolicy, retries: 0 };

/** Opens the lake and, once it is known to be one, its account beside it. */
async function openBoth(path: string, options: LakeClientOptions): Promise<[Lake, Account]> {
  const openingBalance = balanceOf(options.openingBalance);
  const settings = readSettings(path);
  const { embedder, exact, threads, readOnly, onNotice } = options;
  const opening = Lake.open(path, { embedder, exact, threads, readOnly, onNotice });
  const account = settings.then(() => accountOf(path, { ...options, openingBalance }));
  const [lake, opened] = await Promise.allSettled([opening, account]);
  if (lake.status === "fulfilled" && opened.status === "fulfilled") return [lake.value, opened.value];
  if (lake.status === "fulfilled") await lake.value.close();
  if (opened.status === "fulfilled") await opened.value.close();
  return [await opening, await account];
}

/** @throws UsageError `invalid_amount` */
function balanceOf(given: LakeClientOptions["openingBalance"]): MicroUsd | undefined {
  return typeof given === "string" || typeof given === "number" ? parseUsd(String(given)) : given;
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
