/** Texts that programs write for nothing. */
const NOTHING: ReadonlySet<string> = new Set([
  "null",
  "NULL",
  "NaN",
  "nan",
  "\\N",
  "<NA>",
  "NaT",
  "undefined",
]);
/** Texts that stand for nothing among numbers, prices and times; elsewhere they may be words. */
const NONE_HERE: ReadonlySet<string> = new Set([
  "N/A",
  "n/a",
  "NA",
  "#N/A",
  "None",
  "none",
  "-",
  "--",
  "–",
  "—",
  "?",
]);

/** The values of a field that say something. */
export interface PresentValues {
  readonly values: readonly unknown[];
  /** Texts among the others that stand for nothing. */
  readonly absent: readonly string[];
}

/**
 * Tells what says something from what stands for nothing.
 * @param isTyped whether values are all numbers, all prices or all times
 */
export function presentValues(
  found: readonly unknown[],
  isTyped: (values: readonly unknown[]) => boolean,
): PresentValues {
  const all = found.filter((value) => value !== null && value !== undefined && value !== "");
  const marks = all.filter(isNothing);
  const rest = marks.length === 0 ? all : all.filter((value) => !isNothing(value));
  const typed = rest.filter((value) => typeof value !== "string" || !NONE_HERE.has(value));
  if (typed.length === rest.length || typed.length === 0 || !isTyped(typed))
    return { values: rest, absent: marksOf(marks) };
  return {
    values: typed,
    absent: marksOf([...marks, ...rest.filter((value) => typeof value === "string" && NONE_HERE.has(value))]),
  };
}

function isNothing(value: unknown): boolean {
  return typeof value === "string"
    ? NOTHING.has(value)
    : typeof value === "number" && !Number.isFinite(value);
}

function marksOf(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.map(String))];
}
