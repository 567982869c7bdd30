import { LakeError } from "../contract/errors.js";
import type { Visit } from "./account.js";

/** A right that all visits share: begun before the first is let in, ended when none is inside. */
export interface Turn {
  /** Takes the right. What it throws, those who wait to be let in are told. */
  begin(): Promise<void>;
  /** Gives the right back. */
  end(): Promise<void>;
  /** Whether the turn should end as soon as those inside have left, nobody else being let in before. */
  readonly due: boolean;
}

/** Lets visits in while this process has its turn; a turn ends when it is due, or idle for `idleMs`. */
export class Visits {
  readonly #turn: Turn;
  readonly #idleMs: number;
  #inside = 0;
  #open = false;
  #closed = false;
  #change: Promise<void> | undefined;
  #emptied: (() => void) | undefined;
  #idle: NodeJS.Timeout | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(turn: Turn, idleMs: number) {
    this.#turn = turn;
    this.#idleMs = idleMs;
  }

  /**
   * Waits to be let in.
   * @throws whatever beginning the turn throws, or ending the last one threw; the signal's reason;
   * LakeError `account_closed`.
   */
  async enter(signal?: AbortSignal): Promise<Visit> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#closed) throw closed();
      if (this.#failure !== undefined) {
        const { error } = this.#failure;
        this.#failure = undefined;
        throw error;
      }
      if (this.#open && this.#change === undefined && !this.#turn.due) break;
      this.#change ??= this.#renew();
      await orAborted(this.#change, signal);
    }
    return this.#letIn();
  }

  /** Like `enter`, for one who may be inside already: never waits for those inside to leave. */
  join(): Promise<Visit> {
    return this.#open && this.#inside > 0 ? Promise.resolve(this.#letIn()) : this.enter();
  }

  /** Ends the turn if nobody is inside. */
  rest(): void {
    if (!this.#open || this.#inside > 0 || this.#change !== undefined) return;
    clearTimeout(this.#idle);
    this.#change = this.#end().finally(() => {
      this.#change = undefined;
    });
    // Nobody waits for this one: the next visitor is told.
    this.#change.catch((error: unknown) => {
      this.#failure = { error };
    });
  }

  /** Waits for those inside to leave, ends the turn, and lets nobody in any more. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#change;
    if (this.#open) await this.#end();
  }

  async #renew(): Promise<void> {
    try {
      if (this.#open) await this.#end();
      if (this.#closed) throw closed();
      await this.#turn.begin();
      this.#open = true;
    } finally {
      this.#change = undefined;
      if (this.#open) this.#waitForIdle();
    }
  }

  async #end(): Promise<void> {
    if (this.#inside > 0) {
      await new Promise<void>((resolve) => {
        this.#emptied = resolve;
      });
    }
    this.#open = false;
    await this.#turn.end();
  }

  #letIn(): Visit {
    this.#inside += 1;
    clearTimeout(this.#idle);
    let left = false;
    return {
      leave: () => {
        if (!left) this.#leave();
        left = true;
      },
    };
  }

  #leave(): void {
    this.#inside -= 1;
    if (this.#inside > 0) return;
    if (this.#emptied !== undefined) {
      this.#emptied();
      this.#emptied = undefined;
    } else if (this.#turn.due) this.rest();
    else this.#waitForIdle();
  }

  #waitForIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.rest(), this.#idleMs).unref();
  }
}

function closed(): LakeError {
  return new LakeError("account_closed", "The account is closed", {
    remedy: "Open the lake again before calling it.",
  });
}

async function orAborted(change: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return change;
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    await Promise.race([change, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
