/** What an allowance starts with. */
export interface AllowanceOptions {
  /** Id of the stored hold. */
  readonly holdId: number;
  /** Month of Asia/Singapore in which the calls are made. */
  readonly month: string;
  /** True if it reserves free calls of the month, false if it reserves money. */
  readonly free: boolean;
  /** Free calls, or micro-USD, reserved for calls that already run. */
  readonly running: bigint;
  /** Free calls, or micro-USD, reserved for further calls; 0 when there are few. */
  readonly ahead: bigint;
  /** Instants of the machine's clock, ms since the Unix epoch: further calls may use the allowance in `[from, until)`. */
  readonly from: number;
  readonly until: number;
  /** End of the stored hold's lease. */
  readonly expiresAt: number;
}

/**
 * Free calls or money that one stored hold reserves for several calls of this process. Further calls take from it
 * without a transaction. The stored amount is never less than what running calls may use.
 */
export class Allowance {
  readonly holdId: number;
  readonly month: string;
  readonly free: boolean;
  /**
   * True if the stored hold shrinks with each settled call, because funds are short. Otherwise it is reduced when the
   * process next reserves funds, or is idle.
   */
  readonly exact: boolean;
  private readonly from: number;
  private readonly until: number;
  private readonly expiresAt: number;
  private inUse: bigint;
  private left: bigint;

  constructor({ holdId, month, free, running, ahead, from, until, expiresAt }: AllowanceOptions) {
    this.holdId = holdId;
    this.month = month;
    this.free = free;
    this.inUse = running;
    this.left = ahead;
    this.exact = ahead === 0n;
    this.from = from;
    this.until = until;
    this.expiresAt = expiresAt;
  }

  /** Free calls, or micro-USD, that running calls may use. */
  get running(): bigint {
    return this.inUse;
  }

  /** What a call of this price takes from the allowance: one free call, or its price. */
  units(price: bigint): bigint {
    return this.free ? 1n : price;
  }

  /** True if no process can have dropped the stored hold yet. @param machineNow The machine's clock. */
  isHeld(machineNow: number): boolean {
    return machineNow >= this.from && machineNow < this.expiresAt;
  }

  /** Reserves a further call; false if the allowance is used up, too old, or of another month. */
  take(price: bigint, month: string, machineNow: number): boolean {
    const units = this.units(price);
    if (this.left < units || month !== this.month) return false;
    if (machineNow < this.from || machineNow >= this.until) return false;
    this.left -= units;
    this.inUse += units;
    return true;
  }

  /** Ends the reservation of a charged call. */
  spend(price: bigint): void {
    this.inUse -= this.units(price);
  }

  /** Ends the reservation of a call that cost nothing; the next call may use it. */
  giveBack(price: bigint): void {
    this.inUse -= this.units(price);
    if (!this.exact) this.left += this.units(price);
  }
}
