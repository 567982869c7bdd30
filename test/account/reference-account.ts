/** The account as a reader of service.md would write it down: slow, plain, and independent of the real one. */
export class ReferenceAccount {
  balance = 100_000_000n;
  toppedUp = false;
  readonly #freeUsed: string[] = [];
  readonly #freeHeld: string[] = [];
  #moneyHeld = 0n;
  #rated: number[] = [];
  readonly #charged = new Map<string, { charged: bigint; free: boolean }>();
  readonly #month = new Intl.DateTimeFormat("en-CA", {
    timeZone: "Asia/Singapore",
    year: "numeric",
    month: "2-digit",
  });

  get limit(): number {
    return this.toppedUp ? 600 : 60;
  }

  monthOf(now: number): string {
    return this.#month.format(now);
  }

  freeLeft(month: string): number {
    return 1000 - this.#freeUsed.filter((used) => used === month).length;
  }

  inMinute(now: number): number {
    this.#rated = this.#rated.filter((at) => at > now - 60_000);
    return this.#rated.length;
  }

  take(now: number): boolean {
    if (this.inMinute(now) >= this.limit) return false;
    this.#rated.push(now);
    return true;
  }

  hold(now: number, price: bigint, eligible: boolean): ReferenceHold | "refused" | "waits" {
    const month = this.monthOf(now);
    if (price === 0n) return { month, price, eligible, free: false };
    if (eligible && this.#unspoken(month) > 0) {
      this.#freeHeld.push(month);
      return { month, price, eligible, free: true };
    }
    if (this.balance - this.#moneyHeld >= price) {
      this.#moneyHeld += price;
      return { month, price, eligible, free: false };
    }
    return this.balance >= price || (eligible && this.freeLeft(month) > 0) ? "waits" : "refused";
  }

  release(hold: ReferenceHold): void {
    if (hold.free) this.#freeHeld.splice(this.#freeHeld.indexOf(hold.month), 1);
    else this.#moneyHeld -= hold.price;
  }

  charge(hold: ReferenceHold, name: string): { charged: bigint; free: boolean } {
    this.release(hold);
    const before = this.#charged.get(name);
    if (before !== undefined) return before;
    const free = hold.free || (hold.price > 0n && hold.eligible && this.#unspoken(hold.month) > 0);
    if (free) this.#freeUsed.push(hold.month);
    else this.balance -= hold.price;
    const done = { charged: free ? 0n : hold.price, free };
    this.#charged.set(name, done);
    return done;
  }

  /** Forgets what was held, as a restart does. */
  restart(): void {
    this.#freeHeld.length = 0;
    this.#moneyHeld = 0n;
  }

  #unspoken(month: string): number {
    return this.freeLeft(month) - this.#freeHeld.filter((held) => held === month).length;
  }
}

export interface ReferenceHold {
  readonly month: string;
  readonly price: bigint;
  readonly eligible: boolean;
  readonly free: boolean;
}
