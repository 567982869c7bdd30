/** `"0.004000"` as `$0.004`; the whole part keeps two decimals at least. */
export function formatDollars(usd: string): string {
  const [whole, decimals = ""] = usd.split(".");
  return `$${whole}.${decimals.replace(/0+$/, "").padEnd(2, "0")}`;
}

/** A count with thousands separated, the same on every machine: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US", { maximumFractionDigits: 2 });
}

/** A count short enough for a column: `1.3M`, `45.2k`, `980`. */
export function formatShort(count: number): string {
  if (count >= 999_950) return `${(count / 1_000_000).toFixed(1)}M`;
  return count >= 10_000 ? `${(count / 1_000).toFixed(1)}k` : String(count);
}

/** Bytes as `1.2 MB` (powers of 1000). */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const unit =
    bytes < 1e6 ? (["kB", 1e3] as const) : bytes < 1e9 ? (["MB", 1e6] as const) : (["GB", 1e9] as const);
  return `${(bytes / unit[1]).toFixed(1)} ${unit[0]}`;
}

/** Milliseconds as `820 ms` or `3.4 s`. */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
