/** The parts of the engine's instants; each type has one of them. */
export interface EngineInstant {
  readonly micros: bigint;
  readonly millis: bigint;
  readonly seconds: bigint;
  readonly nanos: bigint;
}

/** The instant `infinity`, in the unit of its type. */
const INFINITE = 2n ** 63n - 1n;
/** Milliseconds from the epoch to the first and the last instant of a `Date`. */
const DATE_RANGE = 8.64e15;
/** Years of a shift that leaves days and months as they are, and its milliseconds: the calendar repeats after 400 years. */
const SHIFT = { years: 40_000, ms: 100 * 146_097 * 86_400_000 };

/** Microseconds since the epoch of an instant of any unit, rounded down; those of `infinity` and `-infinity` stay what they are. */
export function instantMicros({ micros, millis, seconds, nanos }: EngineInstant): bigint {
  const value = micros ?? millis ?? seconds ?? nanos;
  if (isInfinite(value)) return value;
  if (millis !== undefined) return millis * 1000n;
  if (seconds !== undefined) return seconds * 1_000_000n;
  return nanos === undefined ? micros : (nanos - modulo(nanos, 1000n)) / 1000n;
}

/**
 * ISO 8601 with milliseconds, or with microseconds if there are any; years beyond four digits have a sign and six.
 * @param zone its end, such as `Z`
 */
export function isoFromMicros(micros: bigint, zone: string): string {
  if (isInfinite(micros)) return micros > 0n ? "infinity" : "-infinity";
  const rest = modulo(micros, 1000n);
  const millis = Number((micros - rest) / 1000n);
  const date = isoOfMillis(millis).slice(0, -1);
  return `${date}${rest === 0n ? "" : String(rest).padStart(3, "0")}${zone}`;
}

/** ISO 8601 of a TIMESTAMP_NS, with nanoseconds if there are any. */
export function isoFromNanos(nanos: bigint): string {
  const micros = instantMicros({ nanos } as EngineInstant);
  const text = isoFromMicros(micros, "");
  const rest = isInfinite(nanos) ? 0n : modulo(nanos, 1000n);
  if (rest === 0n) return text;
  return `${text.slice(0, text.indexOf(".") + 4)}${String(modulo(micros, 1000n)).padStart(3, "0")}${String(rest).padStart(3, "0")}`;
}

function isoOfMillis(millis: number): string {
  if (Math.abs(millis) <= DATE_RANGE) return new Date(millis).toISOString();
  const sign = Math.sign(millis);
  const [, year, rest] = /^([+-]\d+)(.*)$/.exec(new Date(millis - sign * SHIFT.ms).toISOString())!;
  return `${sign < 0 ? "-" : "+"}${String(Math.abs(Number(year) + sign * SHIFT.years)).padStart(6, "0")}${rest}`;
}

function isInfinite(value: bigint): boolean {
  return value === INFINITE || value === -INFINITE;
}

function modulo(value: bigint, by: bigint): bigint {
  return ((value % by) + by) % by;
}
