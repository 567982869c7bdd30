import type { Clock } from "../clock.js";
import type { Account } from "./account.js";
import { EndpointCaps } from "./endpoint-caps.js";

/** Caps in use, and how to give them back. */
export interface CapsInUse {
  readonly caps: EndpointCaps;
  /** Ends the use; a repeated call changes nothing. */
  release(): void;
}

interface Shared {
  readonly caps: EndpointCaps;
  users: number;
}

/** By the clock that they count with, then by the place of the account. A cap is of the service, so clients have to meet somewhere. */
const SHARED = new WeakMap<Clock, Map<string, Shared>>();

/**
 * Returns the caps that all clients of this process with the same account and clock share, until the last one releases them; caps of
 * its own for an account in memory. Clients in other processes have others.
 */
export function useCaps({ place }: Pick<Account, "place">, clock: Clock): CapsInUse {
  if (place === undefined) return { caps: new EndpointCaps(clock), release: () => {} };
  const places = SHARED.get(clock) ?? new Map<string, Shared>();
  SHARED.set(clock, places);
  const shared = places.get(place) ?? { caps: new EndpointCaps(clock), users: 0 };
  places.set(place, shared);
  shared.users += 1;
  let used = true;
  return {
    caps: shared.caps,
    release: () => {
      if (!used) return;
      used = false;
      shared.users -= 1;
      if (shared.users === 0) places.delete(place);
    },
  };
}
