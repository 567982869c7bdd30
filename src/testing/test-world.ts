import type { Account } from "../account/account.js";
import { EndpointCaps } from "../account/endpoint-caps.js";
import { type MicroUsd, parseUsd } from "../contract/money.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { Timestamp } from "../contract/service/unified-record.js";
import { HANDLERS } from "../endpoints/handlers.js";
import { type FaultEnvironment, faultyHandlers } from "../faults/faulty-handlers.js";
import { faultyService } from "../faults/faulty-service.js";
import { Seeded } from "../faults/seeded.js";
import { createService, type Service } from "../service/pipeline.js";
import { TESTING_DEFAULTS } from "./defaults.js";
import { openTestAccount } from "./test-account.js";
import type { TestClock } from "./test-clock.js";
import type { TestContent } from "./test-content.js";
import type { TestState } from "./test-lake-options.js";

/** What a reset replaces: the account with its key, and the service over it. */
export interface TestWorld {
  readonly account: Account;
  readonly apiKey: string;
  readonly service: Service;
}

/** The catalogue of a test lake. */
export function testCatalogue(
  catalogue: readonly EndpointSpec[],
  { caps = {}, prices = {} }: TestState,
): readonly EndpointSpec[] {
  return catalogue.map((row) => {
    const [capPerSecond, price] = [caps[row.id], prices[row.id]];
    if (capPerSecond === undefined && price === undefined) return row;
    return {
      ...row,
      capPerSecond: capPerSecond ?? row.capPerSecond,
      price: price === undefined ? row.price : parseUsd(price),
    };
  });
}

/** Makes the state that a test begins with. The clock stands at its start. */
export async function openWorld(
  content: TestContent,
  clock: TestClock,
  catalogue: readonly EndpointSpec[],
  faults: Pick<FaultEnvironment, "injector" | "ending">,
  state: TestState,
): Promise<TestWorld> {
  const { seed = TESTING_DEFAULTS.seed, limits = "on", freeCalls, requestsPerMinute, onError } = state;
  const account = await openTestAccount({
    clock,
    limits,
    freeCalls,
    requestsPerMinute,
    openingBalance: balanceOf(state.balance),
    random: new Seeded(`${seed} keys`).bytes,
  });
  const service = createService({
    lake: content,
    account,
    caps: new EndpointCaps(clock),
    catalogue,
    handlers: faultyHandlers(HANDLERS, { ...faults, sleep: clock.sleep, jump: (ms) => clock.advance(ms) }),
    clock,
    asOf: asOfOf(state.asOf),
    ids: new Seeded(`${seed} ids`).uuid,
    limits,
    onError,
  });
  const call = faultyService(service.call, faults.injector);
  return { account, apiKey: account.sessionKey(["*"]), service: { catalogue, call } };
}

function balanceOf(balance: string | MicroUsd | undefined): MicroUsd | undefined {
  return typeof balance === "string" ? parseUsd(balance) : balance;
}

function asOfOf(asOf: TestState["asOf"]): "corpus" | "system" | number {
  if (asOf === undefined || asOf === "corpus") return "corpus";
  if (asOf === "system") return "system";
  return typeof asOf === "string" ? Date.parse(Timestamp.parse(asOf)) : Number(asOf);
}
