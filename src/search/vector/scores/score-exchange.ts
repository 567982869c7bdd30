import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { EventLoopQueue } from "../../event-loop-queue.js";

const { settled } = SEARCH_DEFAULTS.vector;
/** 32-bit words at the begin: sets that take part, places that are taken, sets that have told. */
const [SETS, TAKEN, TOLD] = [0, 1, 2];
const HEAD_BYTES = 16;
/** Numbers of a place: how many scores, and they. */
const PLACE = 1 + settled;
/** How long to wait at a time before the signal is looked at, ms. */
const PATIENCE = 100;

/**
 * What searches of several sets for one query tell each other, in one thread or in several: the best scores of the first candidates of
 * each. What is wanted are the nearest rows of all sets together, so a set has scored enough when its candidates no longer come among
 * those; it need not find its own hundred. Each tells once and learns what all the others told, so what is found does not depend
 * on which of them is quicker.
 */
export class ScoreExchange {
  private readonly words: Int32Array;
  private readonly numbers: Float64Array;
  private place: number | undefined;

  /**
   * Takes part, as one of the sets.
   * @param memory of {@link ScoreExchange.room}
   * @param queue of the event loop of all sets, where they are searched in one thread; otherwise a thread sleeps while it waits
   */
  constructor(
    memory: SharedArrayBuffer,
    private readonly queue?: EventLoopQueue,
  ) {
    this.words = new Int32Array(memory, 0, HEAD_BYTES / 4);
    this.numbers = new Float64Array(memory, HEAD_BYTES);
  }

  /** Makes the memory that so many sets share for one query. Each of them has to tell, or to leave. */
  static room(sets: number): SharedArrayBuffer {
    const memory = new SharedArrayBuffer(HEAD_BYTES + sets * PLACE * Float64Array.BYTES_PER_ELEMENT);
    new Int32Array(memory)[SETS] = sets;
    return memory;
  }

  /** Sets that take part. */
  get sets(): number {
    return this.words[SETS]!;
  }

  /** Tells scores, at most the hundred best; the first call counts. */
  tell(scores: Float64Array): void {
    if (this.place !== undefined) return;
    const { words, numbers } = this;
    this.place = Atomics.add(words, TAKEN, 1);
    const told = scores.subarray(0, settled);
    numbers[this.place * PLACE] = told.length;
    numbers.set(told, this.place * PLACE + 1);
    Atomics.add(words, TOLD, 1);
    Atomics.notify(words, TOLD);
  }

  /** Has nothing to tell, if it has not told: others must not wait for it. */
  leave(): void {
    this.tell(new Float64Array());
  }

  /**
   * Waits until all sets have told or left, and returns what the others told, in any order.
   * @throws the signal's reason
   */
  async others(signal?: AbortSignal): Promise<Float64Array> {
    const { words, numbers, place, sets } = this;
    for (let told = Atomics.load(words, TOLD); told < sets; told = Atomics.load(words, TOLD)) {
      if (this.queue === undefined) await Atomics.waitAsync(words, TOLD, told, PATIENCE).value;
      else await this.queue.next(signal);
      signal?.throwIfAborted();
    }
    const scores = new Float64Array((sets - 1) * settled);
    let count = 0;
    for (let other = 0; other < sets; other += 1) {
      if (other === place) continue;
      const first = other * PLACE + 1;
      const told = numbers.subarray(first, first + numbers[first - 1]!);
      scores.set(told, count);
      count += told.length;
    }
    return scores.subarray(0, count);
  }
}
