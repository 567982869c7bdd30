import type { Clock } from "../clock.js";
import { LakeError } from "../contract/errors.js";
import { type MicroUsd, ZERO_USD } from "../contract/money.js";
import type { Charge, Hold, ReleaseOutcome } from "./account.js";
import { chargeCall, chargeQuickly, endReservation } from "./charge-call.js";
import type { Ledger } from "./ledger.js";
import type { Reservations } from "./reservations.js";
import type { FundsRequest, Reservation } from "./reserve-funds.js";
import { singaporeMonth } from "./singapore-calendar.js";

/** The {@link Hold} of a call: settles its reservation once. */
export class LocalHold implements Hold {
  private readonly ledger: Ledger;
  private readonly reservations: Reservations;
  private readonly clock: Clock;
  private readonly request: FundsRequest;
  private readonly reservation: Reservation;
  private settled = false;

  constructor(
    account: { readonly ledger: Ledger; readonly reservations: Reservations; readonly clock: Clock },
    request: FundsRequest,
    reservation: Reservation,
  ) {
    this.ledger = account.ledger;
    this.reservations = account.reservations;
    this.clock = account.clock;
    this.request = request;
    this.reservation = reservation;
  }

  get amount(): MicroUsd {
    const { allowance } = this.reservation;
    return allowance === undefined || allowance.free ? ZERO_USD : this.request.endpoint.price;
  }

  async charge(requestId: string): Promise<Charge> {
    if (this.settled) throw settledTwice(requestId);
    this.settled = true;
    const { ledger, reservation, reservations } = this;
    const { endpoint, key, digest } = this.request;
    const now = this.clock.now();
    try {
      const request = { endpoint, key, requestId, digest };
      const quick = reservations.isCertain(reservation, endpoint.freeEligible, now)
        ? await chargeQuickly(ledger.store, request, reservation.allowance?.free === true, now)
        : undefined;
      const call = { request, reservation, allowances: () => reservations.retire() };
      const charge =
        quick ??
        (await ledger.transact((transaction) => chargeCall(transaction, call, now), { durable: true }));
      if (charge.freeQuotaRemaining === 0) reservations.freeCallsSpent(singaporeMonth(now));
      reservations.charged(reservation, endpoint.price);
      return charge;
    } catch (error) {
      this.reopen();
      throw error;
    }
  }

  async release(requestId = "", outcome: ReleaseOutcome = "empty"): Promise<Charge> {
    if (this.settled) return this.ledger.unmoved();
    this.settled = true;
    const { reservation } = this;
    const { endpoint, key } = this.request;
    try {
      const charge = await this.ledger.note(
        { key, endpoint: endpoint.id, requestId, outcome },
        (transaction) => endReservation(transaction, reservation, endpoint.price),
      );
      this.reservations.released(reservation, endpoint.price);
      return charge;
    } catch (error) {
      this.reopen();
      throw error;
    }
  }

  /** After an error nothing was changed: the hold can still be released. */
  private reopen(): void {
    this.settled = false;
    this.reservations.advance();
  }
}

function settledTwice(requestId: string): LakeError {
  return new LakeError("hold_settled", "This call has already been settled", {
    value: requestId,
    remedy: "Charge or release a hold once.",
  });
}
