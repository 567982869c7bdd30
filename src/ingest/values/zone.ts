const OFFSET = /^([+-])(\d{2})(?::?(\d{2}))?$/;

/** Before this instant no zone changed its clocks, epoch ms: the first change of the time zone database is of 1835. */
const FIRST_CHANGE_MS = Date.UTC(1800, 0);

/** Offset of local time from UTC in minutes, for a wall-clock reading given as epoch ms of the same reading in UTC. */
export type Zone = (wallMs: number) => number;

/** Minutes of an offset such as `+08:00`, `-0330` or `+08`, `Z` being 0; undefined for other text or beyond 18 hours. */
export function parseOffset(text: string): number | undefined {
  if (text === "Z" || text === "z") return 0;
  const match = OFFSET.exec(text);
  if (!match) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  if (minutes > 18 * 60 || Number(match[3] ?? 0) > 59) return undefined;
  return match[1] === "-" ? -minutes : minutes;
}

/**
 * Parses a zone: fixed offset (`+08:00`), `UTC`, or IANA name (`Asia/Shanghai`). A reading skipped by a clock change is taken
 * with the offset before the change; a repeated one as its first occurrence. The earliest offset of a zone counts for all time before.
 * @returns undefined for an unknown zone
 */
export function parseZone(name: string): Zone | undefined {
  const fixed = name === "UTC" ? 0 : parseOffset(name);
  if (fixed !== undefined) return () => fixed;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "iso8601",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return undefined;
  }
  const offsetAt = (ms: number): number => {
    // The formatter names dates before 1582 by the Julian calendar.
    const instantMs = Math.max(ms, FIRST_CHANGE_MS);
    const parts: Record<string, string> = {};
    for (const { type, value } of format.formatToParts(instantMs)) parts[type] = value;
    const wall = Date.UTC(
      Number(parts.year),
      Number(parts.month) - 1,
      Number(parts.day),
      Number(parts.hour),
      Number(parts.minute),
      Number(parts.second),
    );
    return Math.round((wall - Math.floor(instantMs / 1000) * 1000) / 60_000);
  };
  return (wallMs) => {
    const before = offsetAt(wallMs - 24 * 3_600_000);
    if (offsetAt(wallMs - before * 60_000) === before) return before;
    const after = offsetAt(wallMs + 24 * 3_600_000);
    return offsetAt(wallMs - after * 60_000) === after ? after : before;
  };
}
