import { randomUUID } from "node:crypto";
import type { Account } from "../account/account.js";
import { EndpointCaps } from "../account/endpoint-caps.js";
import { openMemoryAccount } from "../account/open-memory-account.js";
import type { LakeClient } from "../client/open-lake.js";
import { systemClock } from "../clock.js";
import { micros } from "../contract/money.js";
import { HANDLERS } from "../endpoints/handlers.js";
import type { AsOfRule } from "../service/as-of-rule.js";
import {
  createService,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from "../service/pipeline.js";

/** More than any number of calls costs. */
const ENOUGH = micros(10n ** 15n);

/**
 * Calls of the service that cost nothing: the same pipeline over the same lake, with an account of its own in memory, without limits.
 * The lake's own account does not know of them.
 */
export class LocalCalls {
  private opened:
    | { readonly service: Service; readonly account: Account; readonly apiKey: string }
    | undefined;

  constructor(
    private readonly lake: LakeClient,
    private readonly asOf: AsOfRule,
  ) {}

  /** Answers one call as the service does. */
  call(request: Omit<ServiceRequest, "apiKey">): Promise<ServiceResponse> {
    this.opened ??= this.open();
    const { service, apiKey } = this.opened;
    return service.call({ ...request, apiKey });
  }

  async close(): Promise<void> {
    await this.opened?.account.close();
  }

  private open() {
    const account = openMemoryAccount({ openingBalance: ENOUGH, limits: "off" });
    const service = createService({
      lake: this.lake.lake,
      account,
      caps: new EndpointCaps(systemClock),
      catalogue: this.lake.service.catalogue,
      handlers: HANDLERS,
      clock: systemClock,
      asOf: this.asOf,
      limits: "off",
      ids: randomUUID,
    });
    return { service, account, apiKey: account.sessionKey(["*"]) };
  }
}
