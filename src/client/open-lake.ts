import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { z } from "zod";
import type { Account } from "../account/account.js";
import type { OpenAccountOptions } from "../account/open-account.js";
import { useCaps } from "../account/shared-caps.js";
import { isPostgresAddress, type PostgresAddress } from "../account/store/postgres/postgres-address.js";
import { isClickHouseAddress } from "../clickhouse/clickhouse-address.js";
import { systemClock } from "../clock.js";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { UsageError } from "../contract/errors.js";
import { formatUsd, type MicroUsd, parseUsd, ZERO_USD } from "../contract/money.js";
import {
  CallbackOption,
  EngineThreadsOption,
  FlagOption,
  objectOption,
  PathOption,
} from "../contract/option-schemas.js";
import { ownOptions } from "../contract/own-copy.js";
import type { FaultInjector } from "../faults/fault-injector.js";
import { Lake } from "../lake/lake.js";
import { lakeCatalogue } from "../lake/lake-catalogue.js";
import { lakeClosed } from "../lake/lake-errors.js";
import type { LakeHandle } from "../lake/lake-handle.js";
import type { LakeOpenOptions } from "../lake/open/open-view.js";
import { readSettings } from "../lake/settings.js";
import type { Embedder } from "../search/embed/embedder.js";
import { JsonBodyWriter } from "../service/json-body.js";
import { createService, type Service, type ServiceOptions } from "../service/pipeline.js";
import { accountOf } from "./account-of.js";
import { Budget } from "./budget.js";
import { catalogueWithPlatforms } from "./catalogue-with-platforms.js";
import { type Client, createClient } from "./client.js";
import {
  type AsOf,
  type ClientOptions,
  clientOptionSchemas,
  retryPolicyOf,
  timeoutOf,
  toAsOf,
} from "./client-options.js";
import { type SliceFiles, sliceFiles } from "./files/slice-files.js";
import { governTransport } from "./governed-transport.js";
import { createFetch, type Fetch } from "./lake-fetch.js";
import { folderRunner, type LakeQueries, lakeQueries, type QueryRunner } from "./lake-queries.js";
import { createLocalTransport, isWireFailure } from "./local-transport.js";
import { OpenCalls } from "./open-calls.js";
import { type RetryPolicy, systemRetryPolicy } from "./retry.js";
import type { WarmUp, WarmUpOptions } from "./warm-up.js";
import { withFaults } from "./with-faults.js";

/** Options of {@link openLake}. */
export interface LakeClientOptions
  extends ClientOptions,
    LakeOpenOptions,
    Pick<OpenAccountOptions, "durability" | "onNotice"> {
  /**
   * Balance of a new account: decimal USD such as `"25.000000"`, or micro-USD as bigint; 100 USD by default. The account is made with it
   * when the lake is opened; without it an account is made by the first call.
   */
  readonly openingBalance?: string | number | MicroUsd;
  /**
   * The account with keys, quota, balance and ledger. `lake` (default): the lake's own, stored in its folder and shared
   * by all processes. `memory`: a new account that ends with this client. An address, `postgres://user:password@host/database`:
   * an account on PostgreSQL, which servers on any number of machines share (with the package `pg`). With `readOnly`, or if the
   * lake is not writable (`onNotice` is called), the account is in memory, unless it is an address.
   */
  readonly account?: "lake" | "memory" | PostgresAddress;
  /** Reference time of `freshness`; default `corpus`. */
  readonly asOf?: AsOf;
  /**
   * `unlimited` lets this client's searches take `freshness: "all"`, and windows over the 90 days of service.md section 4.1. A local
   * extension: such answers have the header `X-Mirrorlake-Local: freshness`, and `fetch` and servers over `service` keep to 90 days.
   */
  readonly maxFreshness?: "unlimited";
  /** `off` disables the rate window and the per-second caps, for bulk analysis; prices and quota still apply. */
  readonly limits?: "on" | "off";
  /** Source of request ids: strings in UUID format. Random by default. A call for which it throws, or gives anything else, is a 500. */
  readonly ids?: () => string;
  /** Called with each exception behind a 500 or 503. What it throws changes no answer: it is a warning of the process, `hook_failed`. */
  readonly onError?: ServiceOptions["onError"];
  /** Faults that calls meet, for tests: `new FaultInjector([…])` of `mirrorlake/testing`. */
  readonly faults?: FaultInjector | undefined;
}

const OPTIONS = optionsSchema<LakeClientOptions>(() => ({
  ...clientOptionSchemas(),
  embedder: objectOption<Embedder>(["embedDocuments", "embedQuery"], "an embedder").optional(),
  exact: FlagOption.optional(),
  readOnly: FlagOption.optional(),
  threads: EngineThreadsOption.optional(),
  durability: z.enum(["strict", "relaxed"]).optional(),
  onNotice: CallbackOption.optional(),
  openingBalance: z
    .custom<string | number | MicroUsd>(
      (value) => ["string", "number", "bigint"].includes(typeof value),
      'must be decimal USD, such as "25.000000"',
    )
    .optional(),
  account: z
    .custom<"lake" | "memory" | PostgresAddress>(
      (value) =>
        value === "lake" || value === "memory" || (typeof value === "string" && isPostgresAddress(value)),
      'must be "lake", "memory", or an address such as "postgres://user:password@host/database"',
    )
    .optional(),
  asOf: z.union([z.string(), z.number(), z.instanceof(Date)]).optional(),
  maxFreshness: z.literal("unlimited").optional(),
  limits: z.enum(["on", "off"]).optional(),
  ids: CallbackOption.optional(),
  onError: CallbackOption.optional(),
  faults: objectOption<FaultInjector>(
    ["next", "takeWire", "know"],
    "faults: new FaultInjector([…])",
  ).optional(),
}));

/** A client of a lake in this process. */
export interface LakeClient extends Client, LakeQueries {
  /** API key of this client; also valid for `fetch` and for servers over `service`. */
  readonly apiKey: string;
  /** A replacement for the global `fetch`: the lake answers for any base URL. */
  readonly fetch: Fetch;
  /** The service, for custom transports. */
  readonly service: Service;
  readonly account: Account;
  readonly lake: LakeHandle;
  /** Switches to the newest generation, if another process has installed one. */
  refresh(): Promise<void>;
  /**
   * Searches for pieces of the lake's own texts, and lists items: later calls find vectors in memory, tables open and code compiled, where
   * the first of a process take several times longer. Nothing is charged or counted, no embedder of the user's own is asked. Closing ends it.
   * @throws UsageError `invalid_options`; LakeError `lake_closed`; the signal's reason
   */
  warmUp(options?: WarmUpOptions): Promise<WarmUp>;
  /**
   * Waits for running calls, then closes the lake and its account. For a stream (`sqlStream`, `arrow`) it waits for the
   * current item. New calls fail with LakeError `lake_closed`. A repeated call waits for the same close.
   */
  close(): Promise<void>;
}

/**
 * Opens a lake and its service in this process: `await openLake("my-lake")`. It opens the account, or
 * makes one with the first call (at once with `openingBalance`), and uses a session key by default.
 * @param path folder of the lake, or its address on ClickHouse: `clickhouse://user:password@host:8123/database` (docs/cluster.md)
 * @throws LakeError if the folder is not a lake or cannot be read; `cluster_*` of a lake on ClickHouse
 * @throws UsageError `invalid_lake_address`, `invalid_argument`, `invalid_options`, `invalid_as_of`, `invalid_amount`, `invalid_timeout`
 */
export async function openLake(path: string, options: LakeClientOptions = {}): Promise<LakeClient> {
  checkArgument(PathOption, path, "path", "openLake");
  checkOptions(OPTIONS, options, "openLake");
  refuseAddress(path);
  return openClient(path, ownOptions(options));
}

/** Refuses the address of a server or of a file, which would be looked for as a folder of that name. */
function refuseAddress(path: string): void {
  if (!/^(?:https?|file):/i.test(path)) return;
  throw new UsageError("invalid_argument", `openLake: path is ${path}, it must be a folder`, {
    value: path,
    remedy: path.startsWith("http")
      ? "ask a server by connect({ baseUrl, apiKey }); `mirrorlake pull` copies its slices"
      : "give the path: fileURLToPath(url), of node:url",
  });
}

/** Opens a lake with options that are its own: they are read while it waits. */
async function openClient(path: string, options: LakeClientOptions): Promise<LakeClient> {
  const asOf = toAsOf(options.asOf ?? "corpus");
  const budget = new Budget(options.budgetUsd);
  const timeoutMs = timeoutOf(options.timeoutMs);
  const { limits = "on", faults } = options;
  const { clock, handlers, wrap, end: endFaulty } = withFaults(faults, options.clock ?? systemClock);
  // It stays the same folder when the process changes its own.
  const folder = isClickHouseAddress(path) ? path : resolve(path);
  const [lake, account, runner] = await openBoth(folder, { ...options, clock, limits });
  const capsInUse = useCaps(account, clock);
  try {
    const catalogue =
      options.catalogue ?? catalogueWithPlatforms(await lakeCatalogue(folder, lake.settings), lake);
    const apiKey = options.apiKey ?? account.sessionKey(["*"]);
    const calls = new OpenCalls(() => lakeClosed(path));
    const pipeline = wrap(
      createService({
        lake,
        account,
        caps: capsInUse.caps,
        catalogue,
        handlers,
        clock,
        asOf,
        limits,
        ids: options.ids ?? randomUUID,
        onError: options.onError,
      }),
    );
    const transport = governTransport(createLocalTransport(pipeline, apiKey, options.maxFreshness), {
      budget,
      retry: options.retry === undefined ? NO_RETRY : retryPolicyOf(options),
      timeoutMs,
      name: path,
      // A call that fails in process is not charged, apart from what a fault makes of its answer.
      costsNothing: (error) => !isWireFailure(error),
    });
    const client = createClient(catalogue, {
      transport,
      budget,
      calls,
      end: () => {
        capsInUse.release();
        return account.close().finally(() => lake.close());
      },
    });
    const service = closable(calls, pipeline);
    faults?.know(() => service.catalogue.map(({ id }) => id));
    // A lake on ClickHouse has no files of slices.
    const files = isClickHouseAddress(path) ? undefined : closableFiles(calls, sliceFiles({ lake, account }));
    const close = client.close;
    if (faults !== undefined) {
      client.close = () => {
        endFaulty();
        return close();
      };
      client[Symbol.asyncDispose] = client.close;
    }
    const queries = lakeQueries(runner ?? folderRunner(lake), calls);
    return Object.assign(client, queries, {
      fetch: createFetch(service, new JsonBodyWriter(), files, options.onError),
      service,
      apiKey,
      account,
      lake,
      refresh: () => calls.run(() => lake.refresh()),
      warmUp: (wanted: WarmUpOptions = {}) => {
        const subject = { lake, catalogue, asOf, clock, calls, queries, embedder: options.embedder };
        const given = ownOptions(wanted);
        return calls.run(async () => (await import("./warm-up.js")).warmUp(subject, given));
      },
    });
  } catch (error) {
    capsInUse.release();
    await account.close();
    await lake.close();
    throw error;
  }
}

/** In process a call is retried only on request: the program itself controls the limits of its lake. */
const NO_RETRY: RetryPolicy = { ...systemRetryPolicy, retries: 0 };

/** Opens the lake and, after its settings have been read, its account in parallel. */
async function openBoth(
  path: string,
  options: LakeClientOptions,
): Promise<[LakeHandle, Account, QueryRunner?]> {
  const openingBalance = balanceOf(options.openingBalance);
  if (isClickHouseAddress(path)) {
    const { openCluster } = await import("./open-cluster.js");
    return openCluster(path, { ...options, openingBalance });
  }
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
  const balance = typeof given === "string" || typeof given === "number" ? parseUsd(String(given)) : given;
  if (balance === undefined || balance >= ZERO_USD) return balance;
  throw new UsageError("invalid_amount", `An account cannot open with ${formatUsd(balance)} USD`, {
    value: given,
    remedy: 'Give openingBalance as 0 or more USD, such as "25.000000".',
  });
}

/** Wraps the service so that calls fail after the client is closed. */
function closable(calls: OpenCalls, service: Service): Service {
  return {
    get catalogue() {
      return service.catalogue;
    },
    call: (request) => calls.run(() => service.call(request)),
  };
}

/** Wraps the files of slices so that none is found after the client is closed; one that is being read is read to its end. */
function closableFiles(calls: OpenCalls, files: SliceFiles): SliceFiles {
  return {
    authorize: (apiKey) => calls.run(() => files.authorize(apiKey)),
    find: (path) => calls.run(() => files.find(path)),
  };
}
