import type { Clock } from "../clock.js";
import type { MicroUsd } from "../contract/money.js";
import type { RandomSource } from "./api-key.js";

/** Options of an account. */
export interface AccountOptions {
  /** The service clock. */
  readonly clock?: Clock;
  /** Source of the random bytes of keys. */
  readonly random?: RandomSource;
  /** `off` disables the rate window; quota and balance still apply. */
  readonly limits?: "on" | "off";
  /** Requests per minute, for tests; default: those of service.md section 8. */
  readonly requestsPerMinute?: number | undefined;
  /** Balance of a new account. */
  readonly openingBalance?: MicroUsd;
  /** The machine's clock, used for the leases of holds instead of the service clock. */
  readonly machineClock?: Clock;
  /** Lease of a hold, ms. The holds of a killed process expire after it. */
  readonly holdLeaseMs?: number;
}
