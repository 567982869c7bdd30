import { performance } from "node:perf_hooks";
import { nextTurn } from "./next-turn.js";

/** Times a turn of the event loop. Work that never waits for I/O would otherwise keep timers and requests waiting. */
export class EventLoopTurn {
  private readonly longestMs: number;
  private start: number | undefined;

  /** @param longestMs Time after which a turn is over. */
  constructor(longestMs: number) {
    this.longestMs = longestMs;
  }

  /** Returns true if this turn has lasted too long, counted from the first question in it. */
  isOver(): boolean {
    const now = performance.now();
    if (this.start === undefined) {
      this.start = now;
      void nextTurn().then(() => {
        this.start = undefined;
      });
    }
    return now - this.start >= this.longestMs;
  }

  /** Resolves in the next turn, which is timed from its start on. */
  async next(): Promise<void> {
    await nextTurn();
    this.isOver();
  }
}
