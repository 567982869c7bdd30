import { type Clock, systemClock } from "../clock.js";
import { LIMITS } from "../contract/service/limits.js";
import { SlidingWindow } from "./sliding-window.js";

/** The global cap of each endpoint (service.md section 8), over a sliding second of the service clock. */
export class EndpointCaps {
  private readonly clock: Clock;
  private readonly windows = new Map<string, SlidingWindow>();

  constructor(clock: Clock = systemClock) {
    this.clock = clock;
  }

  /** Counts a call, or refuses it (429 `endpoint_busy`) and returns the whole seconds to wait. */
  take(
    endpointId: string,
    capPerSecond: number,
  ): { readonly allowed: boolean; readonly retryAfterS: number } {
    let window = this.windows.get(endpointId);
    if (window === undefined) {
      window = new SlidingWindow(LIMITS.capWindowMs.value);
      this.windows.set(endpointId, window);
    }
    const now = this.clock.now();
    const waitMs = window.waitMs(now, capPerSecond);
    if (waitMs > 0) return { allowed: false, retryAfterS: Math.ceil(waitMs / 1000) };
    window.add(now);
    return { allowed: true, retryAfterS: 0 };
  }
}
