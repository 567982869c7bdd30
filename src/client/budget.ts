import { BudgetError, UsageError } from "../contract/errors.js";
import { formatUsd, type MicroUsd, micros, parseUsd } from "../contract/money.js";

/** Money that a call may cost at the most, set aside until its answer says what it did cost. */
export interface Reservation {
  /** What the answer charged. */
  settle(charged: MicroUsd): void;
  /** No answer came: the call may have been charged, so that its price counts as spent. */
  assumeSpent(): void;
}

/** Caps what a client may spend. Calls under way count at their price, so that concurrent ones cannot pass the cap. */
export class Budget {
  private readonly cap: MicroUsd | undefined;
  private spentMicros = 0n;
  private reserved = 0n;

  /**
   * @param capUsd decimal USD (`"1.50"`), or a number of them; undefined for no cap
   * @throws UsageError `invalid_amount`
   */
  constructor(capUsd?: string | number) {
    this.cap = capUsd === undefined ? undefined : parseUsd(String(capUsd));
    if (this.cap !== undefined && this.cap < 0n)
      throw new UsageError("invalid_amount", `A budget cannot be negative: ${capUsd}`, {
        value: capUsd,
        remedy: "Give USD, zero or more; leave it out for no budget.",
      });
  }

  /** What the answers so far charged, and what calls without an answer may have. */
  get spent(): MicroUsd {
    return micros(this.spentMicros);
  }

  /** @throws BudgetError `budget_exceeded` where the price does not fit in what is left; the call must not be made */
  reserve(price: MicroUsd): Reservation {
    const left = this.cap === undefined ? undefined : this.cap - this.spentMicros - this.reserved;
    if (left !== undefined && price > left) {
      throw new BudgetError(
        "budget_exceeded",
        `The call costs up to ${formatUsd(price)} USD and ${formatUsd(left)} USD of the budget are left`,
        {
          value: formatUsd(price),
          remedy: "Raise budgetUsd, or wait for calls under way: they hold their price.",
        },
      );
    }
    this.reserved += price;
    const end = (spent: bigint) => {
      this.reserved -= price;
      this.spentMicros += spent;
    };
    return { settle: end, assumeSpent: () => end(price) };
  }
}
