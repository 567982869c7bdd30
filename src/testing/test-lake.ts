import type { Account } from "../account/account.js";
import { Budget } from "../client/budget.js";
import { type Client, createClient } from "../client/client.js";
import { retryPolicyOf } from "../client/client-options.js";
import { type SliceFiles, sliceFiles } from "../client/files/slice-files.js";
import { governTransport } from "../client/governed-transport.js";
import { createFetch, type Fetch } from "../client/lake-fetch.js";
import type { LakeQueries } from "../client/lake-queries.js";
import { createLocalTransport, isWireFailure } from "../client/local-transport.js";
import { OpenCalls } from "../client/open-calls.js";
import { checkOptions } from "../contract/check-options.js";
import { LakeError } from "../contract/errors.js";
import { FaultInjector } from "../faults/fault-injector.js";
import type { RunningServer, ServerOptions } from "../http/server.js";
import { JsonBodyWriter } from "../service/json-body.js";
import type { Service, ServiceRequest } from "../service/pipeline.js";
import { TestClock } from "./test-clock.js";
import type { TestContent } from "./test-content.js";
import { TEST_STATE, type TestState } from "./test-lake-options.js";
import { openWorld, testCatalogue } from "./test-world.js";

/** A lake in memory with its service, made for one test or many. Its calls are those of {@link Client}. */
export interface TestLake extends Client, LakeQueries {
  /** The service clock. `await lake.clock.run("31d")` moves on and settles what is due. */
  readonly clock: TestClock;
  /** Key of this lake's client, with all scopes: the same for the same seed. */
  readonly apiKey: string;
  /** A replacement for the global `fetch`: the lake answers for any base URL, and hands out the files of its slices. */
  readonly fetch: Fetch;
  /** The service, for custom transports and `startServer`. */
  readonly service: Service;
  /** The account with balance, quota and ledger. */
  readonly account: Account;
  /** Faults that calls meet, also over `fetch`, HTTP and interceptors. */
  readonly faults: FaultInjector;
  /** Serves the lake over HTTP on loopback; closing the lake closes the server. */
  serve(options?: ServerOptions): Promise<RunningServer>;
  /** Restores the state in which the lake was created: clock, seed, balance, quota, windows, ledger. */
  reset(): Promise<void>;
  /**
   * Makes a lake of the same content in the state in which this one was created, not the one that it has come to, apart from what
   * `state` says: clock, seed, balance, quota, windows, faults. It shares nothing that changes, and is closed on its own.
   */
  fork(state?: TestState): Promise<TestLake>;
}

/** Path of calls that list slices, which only a lake on disk has. */
const DATASETS = "/v1/datasets/";

/**
 * Opens a lake over shared content.
 * @param start returns where its clock starts, epoch ms, once the content is open
 */
export async function openTestLake(
  content: TestContent,
  state: TestState,
  start: () => number | Promise<number>,
): Promise<TestLake> {
  await content.hold();
  try {
    return await openHeld(content, state, await start());
  } catch (error) {
    await content.release();
    throw error;
  }
}

async function openHeld(content: TestContent, state: TestState, startMs: number): Promise<TestLake> {
  const clock = new TestClock(startMs);
  const catalogue = testCatalogue(content.catalogue, state);
  const faults = new FaultInjector(state.faults);
  faults.know(() => catalogue.map(({ id }) => id));
  const ending = new AbortController();
  let world = await openWorld(content, clock, catalogue, { injector: faults, ending: ending.signal }, state);
  const calls = new OpenCalls(closedError);
  const budget = new Budget(state.budgetUsd);
  const service: Service = {
    catalogue,
    call: (request) => calls.run(() => answer(request)),
  };
  async function answer(request: ServiceRequest) {
    if (request.path.startsWith(DATASETS)) await content.describeSlices();
    return world.service.call(request);
  }
  const files = filesOf(content, () => world.account, calls);
  const servers = new Set<RunningServer>();
  const transport = governTransport(createLocalTransport(service, world.apiKey), {
    budget,
    retry: retryPolicyOf({ retry: { retries: 0, sleep: clock.sleep, now: clock.now, ...state.retry } }),
    timeoutMs: undefined,
    name: "the test lake",
    costsNothing: (error) => !isWireFailure(error),
  });
  const end = async () => {
    for (const server of servers) await server.close(0);
    await world.account.close();
    await content.release();
  };
  // The service counts running calls itself.
  const client = createClient(catalogue, {
    transport,
    budget,
    calls: new OpenCalls(closedError),
    end: () => calls.close(end),
  });
  const closeClient = client.close;
  const close = () => {
    ending.abort(new Error("the lake is closed"));
    return closeClient();
  };
  const lake = Object.assign(client, content.queries, {
    close,
    [Symbol.asyncDispose]: close,
    clock,
    faults,
    service,
    apiKey: world.apiKey,
    fetch: createFetch(service, new JsonBodyWriter(), files, state.onError),
    serve: async (options?: ServerOptions): Promise<RunningServer> => {
      const { startServer } = await import("../http/server.js");
      const server = await startServer(service, { files, ...options });
      servers.add(server);
      return server;
    },
    reset: async () => {
      const { account } = world;
      clock.set(startMs);
      faults.set(state.faults ?? []);
      world = await openWorld(content, clock, catalogue, { injector: faults, ending: ending.signal }, state);
      await account.close();
    },
    fork: (other: TestState = {}) => {
      checkOptions(TEST_STATE, other, "fork");
      const start = () => (other.now === undefined ? startMs : new TestClock(other.now).now());
      return openTestLake(content, { ...state, ...other }, start);
    },
  });
  return Object.defineProperty(lake, "account", { get: () => world.account, enumerable: true }) as TestLake;
}

/** The files of slices, which only a lake on disk has: the first request makes it. */
function filesOf(content: TestContent, account: () => Account, calls: OpenCalls): SliceFiles {
  const opened = async () => sliceFiles({ lake: await content.onDisk(), account: account() });
  return {
    authorize: (apiKey) => calls.run(async () => (await opened()).authorize(apiKey)),
    find: (path) => calls.run(async () => (await opened()).find(path)),
  };
}

function closedError(): LakeError {
  return new LakeError("lake_closed", "The test lake is closed", {
    remedy: "Create another lake, or close this one later.",
  });
}
