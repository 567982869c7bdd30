import { BudgetError, UsageError } from "../contract/errors.js";
import { formatUsd, type MicroUsd, micros, parseUsd } from "../contract/money.js";

/** The most a call can cost, reserved until its answer states the charge. */
export interface Reservation {
  /** Replaces the reservation by the charge of the answer. */
  settle(charged: MicroUsd): void;
  /** Counts the full price as spent, because a call without an answer may have been charged. */
  assumeSpent(): void;
}

/** Caps the spending of a client. Running calls count with their full price, so concurrent calls cannot exceed the cap. */
export class Budget {
  private readonly cap: MicroUsd | undefined;
  private spentMicros = 0n;
  private reserved = 0n;

  /**
   * @param capUsd USD as decimal text (`"1.50"`) or number; undefined for no cap
   * @throws UsageError `invalid_amount`
   */
  constructor(capUsd?: string | number) {
    this.cap = capUsd === undefined ? undefined : parseUsd(String(capUsd));
    if (this.cap !== undefined && this.cap < 0n)
      throw new UsageError("invalid_amount", `A budget cannot be negative: ${capUsd}`, {
        value: capUsd,
        remedy: "Give an amount of USD, zero or more; omit it for no budget.",
      });
  }

  /** Charges of all answers so far, plus the price of calls without an answer. */
  get spent(): MicroUsd {
    return micros(this.spentMicros);
  }

  /** Reserves the price of a call. @throws BudgetError `budget_exceeded` if less is left; do not make the call then */
  reserve(price: MicroUsd): Reservation {
    const left = this.cap === undefined ? undefined : this.cap - this.spentMicros - this.reserved;
    if (left !== undefined && price > left) {
      throw new BudgetError(
        "budget_exceeded",
        `The call costs up to ${formatUsd(price)} USD and ${formatUsd(left)} USD of the budget are left`,
        {
          value: formatUsd(price),
          remedy: "Raise budgetUsd, or wait for running calls: they reserve their price.",
        },
      );
    }
    this.reserved += price;
    const end = (spent: bigint) => {
      this.reserved -= price;
      this.spentMicros += spent < 0n ? price : spent; // what was spent never falls
    };
    return { settle: end, assumeSpent: () => end(price) };
  }
}
