import { randomUUID } from "node:crypto";
import type { Account } from "../account/account.js";
import type { AccountOptions } from "../account/account-options.js";
import { EndpointCaps } from "../account/endpoint-caps.js";
import { openMemoryAccount } from "../account/open-memory-account.js";
import { parseUsd } from "../contract/money.js";
import { CATALOGUE } from "../contract/service/catalogue.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import type { Handler } from "../endpoints/handler.js";
import { HANDLERS } from "../endpoints/handlers.js";
import { createService, type ServiceOptions } from "../service/pipeline.js";
import { VirtualClock } from "../virtual-clock.js";
import type { Samples, Subject, World, WorldOptions } from "./rule.js";
import { SAMPLES } from "./sample/sample-items.js";
import { SAMPLE_AS_OF } from "./sample/works.js";
import type { TestedTransport } from "./transports.js";

/** Parts of a local subject. */
export interface LocalSubjectOptions {
  readonly lake: ServiceOptions["lake"];
  readonly catalogue?: readonly EndpointSpec[];
  readonly samples?: Samples;
  /** Opens a fresh account, for the subject and for each world; default: in memory. */
  readonly openAccount?: (options: AccountOptions) => Account | Promise<Account>;
}

/** A subject that the caller must close. */
export interface OpenSubject extends Subject {
  close(): Promise<void>;
}

/** The service over a lake in this process, behind a transport; rules can open their own service with `world`. */
export async function openLocalSubject(
  transport: TestedTransport,
  options: LocalSubjectOptions,
): Promise<OpenSubject> {
  const { lake, catalogue = CATALOGUE, samples = SAMPLES, openAccount = openMemoryAccount } = options;

  async function openWorld(world: WorldOptions): Promise<World & { close(): Promise<void> }> {
    const clock = new VirtualClock(SAMPLE_AS_OF);
    const limits = world.limits ?? "off";
    const balance = world.balanceUsd === undefined ? {} : { openingBalance: parseUsd(world.balanceUsd) };
    const account = await openAccount({ clock, limits, ...balance });
    const apiKey = account.sessionKey(["*"]);
    const service = createService({
      lake,
      account,
      caps: new EndpointCaps(clock),
      catalogue,
      handlers: world.fault === undefined ? HANDLERS : faulty(world.fault),
      clock,
      asOf: "corpus",
      limits,
      ids: randomUUID,
    });
    return { ...(await transport.open(service, catalogue, apiKey)), clock, account, apiKey };
  }

  const base = await openWorld({ balanceUsd: "1000000" });
  return {
    transport: transport.name,
    catalogue,
    samples,
    apiKey: base.apiKey,
    call: base.call,
    send: base.send,
    world: async (options, use) => {
      const world = await openWorld(options);
      try {
        return await use(world);
      } finally {
        await world.close();
        await world.account.close();
      }
    },
    close: async () => {
      await base.close();
      await base.account.close();
    },
  };
}

/** Handlers that all fail with the same error. */
function faulty(fault: Error): Readonly<Record<string, Handler>> {
  const fail: Handler = () => Promise.reject(fault);
  return Object.fromEntries(Object.keys(HANDLERS).map((operation) => [operation, fail]));
}
