import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../clock.js";
import type { Handler } from "../endpoints/handler.js";
import { HANDLERS } from "../endpoints/handlers.js";
import type { FaultInjector } from "../faults/fault-injector.js";
import { faultyHandlers } from "../faults/faulty-handlers.js";
import { faultyService } from "../faults/faulty-service.js";
import type { Service } from "../service/pipeline.js";

/** The parts of a lake's service that faults change. */
export interface FaultyParts {
  /** The service clock, which jumps where faults make it. */
  readonly clock: Clock;
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly wrap: (service: Service) => Service;
  /** Ends this lake's calls that hang, and those that would later; other lakes with the injector go on. */
  readonly end: () => void;
}

/** The parts of a lake's service with faults; without an injector as they are. */
export function withFaults(injector: FaultInjector | undefined, clock: Clock): FaultyParts {
  if (injector === undefined) return { clock, handlers: HANDLERS, wrap: (service) => service, end: () => {} };
  let offset = 0;
  const ending = new AbortController();
  const handlers = faultyHandlers(HANDLERS, {
    injector,
    ending: ending.signal,
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
    jump: (ms) => {
      offset += ms;
    },
  });
  return {
    clock: { now: () => clock.now() + offset },
    handlers,
    wrap: (service) => ({
      get catalogue() {
        return service.catalogue;
      },
      call: faultyService(service.call, injector),
    }),
    end: () => ending.abort(new Error("the lake is closed")),
  };
}
