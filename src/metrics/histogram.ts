import type { Labels, Sample } from "./exposition.js";

/** Counts of durations by their size, each bucket with those below it when it is read. */
export class Histogram {
  private readonly counts: Float64Array;
  private sum = 0;

  /** @param bounds upper bounds of the buckets, seconds, ascending */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  /** Counts a duration, seconds. */
  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < this.bounds.length && seconds > this.bounds[bucket]!) bucket++;
    this.counts[bucket]! += 1;
    this.sum += seconds;
  }

  /** The samples of the histogram. */
  samples(labels: Labels): Sample[] {
    let total = 0;
    const buckets = Array.from(this.counts, (count, i): Sample => {
      total += count;
      const le = i < this.bounds.length ? String(this.bounds[i]) : "+Inf";
      return { suffix: "_bucket", labels: { ...labels, le }, value: total };
    });
    return [
      ...buckets,
      { suffix: "_sum", labels, value: this.sum },
      { suffix: "_count", labels, value: total },
    ];
  }
}
