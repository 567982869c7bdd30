import type { Sample } from "./exposition.js";

const SEPARATOR = "\u0000";

/** Counts by one, or three labels. Values of labels come from lists of the program, so their number is bounded. */
export class Tally<Name extends string> {
  private readonly counts = new Map<string, number>();

  constructor(private readonly names: readonly Name[]) {}

  /** Counts one more. @param values of the labels, in the order of their names */
  add(...values: readonly (string | number)[]): void {
    const key = values.join(SEPARATOR);
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  /** The samples, ordered by their labels. */
  get samples(): Sample[] {
    return [...this.counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => {
        const values = key.split(SEPARATOR);
        return { labels: Object.fromEntries(this.names.map((name, i) => [name, values[i]!])), value };
      });
  }
}
