import type { FaultInjector } from "./fault-injector.js";
import type { WireFault } from "./wire-fault.js";

interface Answered {
  readonly headers: Readonly<Record<string, string>>;
  readonly wire?: WireFault | undefined;
}

/** Adds to the responses of a service the faults that their transports make. */
export function faultyService<Request, Response extends Answered>(
  call: (request: Request) => Promise<Response>,
  injector: FaultInjector,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await call(request);
    const wire = injector.takeWire(response.headers["X-Request-Id"] ?? "");
    return wire === undefined ? response : { ...response, wire };
  };
}
