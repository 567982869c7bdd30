/** Formats a count with thousands separators, independent of the locale: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US", { maximumFractionDigits: 2 });
}

/** Formats a count with its noun: `1 slice`, `12,345 slices`. Pass `plural` for an irregular plural: `entries`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** Formats bytes as `144 B` or `1.2 MB` (powers of 1000). */
export function formatBytes(bytes: number): string {
  if (Math.round(bytes) < 1000) return `${Math.round(bytes)} B`;
  for (const [unit, size] of UNITS) if (bytes < size * 999.95) return `${(bytes / size).toFixed(1)} ${unit}`;
  return `${(bytes / 1e12).toFixed(1)} TB`;
}

const UNITS = [
  ["kB", 1e3],
  ["MB", 1e6],
  ["GB", 1e9],
] as const;

/** Formats a limit in powers of 1024: `300 MiB`. */
export function formatBinarySize(bytes: number): string {
  const exponent = Math.min(4, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  if (exponent === 0) return counted(bytes, "byte");
  const size = bytes / 1024 ** exponent;
  return `${Number.isInteger(size) ? size : size.toFixed(1)} ${["KiB", "MiB", "GiB", "TiB"][exponent - 1]}`;
}

/** Formats milliseconds as `820 ms`, `3.4 s` or `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
