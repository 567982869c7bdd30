/** Makes a fixed number of threads wait for each other, by two integers in memory that they share. */
export class Barrier {
  /** @param cells two integers, 0 at first */
  constructor(
    private readonly cells: Int32Array,
    private readonly threads: number,
  ) {}

  /** Returns when all threads have called it. Blocks the thread, so it is for worker threads; one alone never waits. */
  wait(): void {
    if (this.threads === 1) return;
    const round = Atomics.load(this.cells, 1);
    if (Atomics.add(this.cells, 0, 1) === this.threads - 1) {
      Atomics.store(this.cells, 0, 0);
      Atomics.add(this.cells, 1, 1);
      Atomics.notify(this.cells, 1);
      return;
    }
    while (Atomics.load(this.cells, 1) === round) Atomics.wait(this.cells, 1, round);
  }
}
