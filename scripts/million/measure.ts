/** Runs a call so many times, one after another, and gives the milliseconds of each. */
export async function times(count: number, call: (i: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await call(i);
    taken.push(performance.now() - started);
  }
  return taken;
}

/** The value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/** To three decimal places. */
export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
