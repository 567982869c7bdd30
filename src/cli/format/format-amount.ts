/** Formats decimal USD with at least two decimals: `"0.004000"` as `$0.004`. */
export function formatDollars(usd: string): string {
  const [whole, decimals = ""] = usd.split(".");
  return `$${whole}.${decimals.replace(/0+$/, "").padEnd(2, "0")}`;
}

/** Formats a count for a narrow column: `1.3M`, `45.2k`, `980`. */
export function formatShort(count: number): string {
  if (count >= 999_950) return `${(count / 1_000_000).toFixed(1)}M`;
  return count >= 10_000 ? `${(count / 1_000).toFixed(1)}k` : String(count);
}
