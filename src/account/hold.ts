import { LakeError } from "../contract/errors.js";
import { type MicroUsd, ZERO_USD } from "../contract/money.js";
import type { BillableEndpoint, Charge, Hold, Principal, ReleaseOutcome } from "./account.js";
import type { Books, Reservation } from "./books.js";
import type { Journal } from "./journal.js";
import { uncharged } from "./uncharged.js";

/** A call under way: what is set aside for it, in which books, and who called what. */
export interface ReservedCall {
  readonly books: Books;
  readonly journal: Journal;
  readonly reservation: Reservation;
  readonly endpoint: BillableEndpoint;
  readonly principal: Principal;
}

/** The hold on what was set aside for a call; its second `charge` is refused with LakeError `hold_settled`. */
export function holdOf(call: ReservedCall): Hold {
  const { books, journal, reservation, endpoint, principal } = call;
  let settled = false;
  return {
    charge: (requestId) => {
      if (settled) return Promise.reject(settledTwice(requestId));
      settled = true;
      return chargeOnce(call, requestId);
    },
    release: (requestId = "", outcome: ReleaseOutcome = "empty") => {
      if (!settled) {
        settled = true;
        books.unreserve(reservation);
        journal.note(books, uncharged(principal.keyId, endpoint.id, requestId, outcome, books.ratedMark));
      }
      return books.chargeOf(ZERO_USD, false);
    },
  };
}

async function chargeOnce(call: ReservedCall, request: string): Promise<Charge> {
  const { books, journal, reservation, endpoint } = call;
  const key = call.principal.keyId;
  const before = books.chargeNamed(key, endpoint.id, request);
  if (before !== undefined) {
    books.unreserve(reservation);
    await before.durable;
    return books.chargeOf(before.amount, before.free);
  }
  const entry = books.charge(reservation, endpoint, key, request);
  const amount = (
    reservation.free || entry.outcome === "free_quota" ? ZERO_USD : reservation.amount
  ) as MicroUsd;
  const charge = books.chargeOf(amount, entry.outcome === "free_quota");
  const durable = journal.keep(entry);
  books.remember(entry, durable);
  await durable;
  return charge;
}

function settledTwice(requestId: string): LakeError {
  return new LakeError("hold_settled", "This call was settled before", {
    value: requestId,
    remedy: "Charge or release a hold once.",
  });
}
