import { SQL_DEFAULTS } from "./defaults.js";

const { valueItems, replacedCharacters } = SQL_DEFAULTS;

/** Prefix of the errors of bounded functions. */
export const TOO_LARGE = "Value too large:";

const integer = (value: string) => `TRY_CAST(${value}::VARCHAR AS HUGEINT)`;
const instant = (value: string) => `epoch(TRY_CAST(${value}::VARCHAR AS TIMESTAMP))`;
const span = (value: string) => `epoch(TRY_CAST(${value}::VARCHAR AS INTERVAL))`;

/** Number of items of a series of numbers or times. */
function steps(from: string, to: string, step: string): string {
  return `abs(coalesce((${integer(to)} - ${integer(from)}) / nullif(${integer(step)}, 0),
    (${instant(to)} - ${instant(from)}) / nullif(${span(step)}, 0)))`;
}

const length = (value: string) => `coalesce(len(${value}), 0)::HUGEINT`;

interface Bounded {
  readonly args: readonly string[];
  /** SQL expression of the result's size, and its limit. */
  readonly size: string;
  readonly most: number;
}

/** Functions that can create a value of any size in one call, by name. */
const BOUNDED: Readonly<Record<string, readonly Bounded[]>> = {
  repeat: [{ args: ["s", "n"], size: `${length("s")} * n`, most: valueItems }],
  lpad: [{ args: ["s", "n", "p"], size: "n", most: valueItems }],
  rpad: [{ args: ["s", "n", "p"], size: "n", most: valueItems }],
  replace: [{ args: ["s", "a", "b"], size: `${length("s")} * ${length("b")}`, most: replacedCharacters }],
  regexp_replace: [
    { args: ["s", "a", "b"], size: `${length("s")} * ${length("b")}`, most: replacedCharacters },
    { args: ["s", "a", "b", "o"], size: `${length("s")} * ${length("b")}`, most: replacedCharacters },
  ],
  bitstring: [{ args: ["b", "n"], size: "n", most: valueItems }],
  ...both(
    ["list_resize", "array_resize"],
    [
      { args: ["l", "n"], size: "n", most: valueItems },
      { args: ["l", "n", "v"], size: "n", most: valueItems },
    ],
  ),
  ...both(
    ["range", "generate_series"],
    [
      { args: ["n"], size: "abs(n::HUGEINT)", most: valueItems },
      { args: ["a", "b"], size: "abs(b::HUGEINT - a)", most: valueItems },
      { args: ["a", "b", "c"], size: steps("a", "b", "c"), most: valueItems },
    ],
  ),
};

function both(names: readonly string[], of: readonly Bounded[]): Record<string, readonly Bounded[]> {
  return Object.fromEntries(names.map((name) => [name, of]));
}

/**
 * Statements that replace functions able to create a value of any size with bounded macros: within one call the engine neither
 * accounts for memory nor honours interrupts.
 */
export const BOUNDED_FUNCTIONS_SQL: readonly string[] = Object.entries(BOUNDED).map(([name, forms]) => {
  const bodies = forms.map(({ args, size, most }) => {
    const list = args.join(", ");
    const message = `'${TOO_LARGE} ${name} may make ${most} at a time'`;
    return `(${list}) AS CASE WHEN ${size} > ${most} THEN error(${message}) ELSE system.main.${name}(${list}) END`;
  });
  return `CREATE MACRO "${name}"${bodies.join(", ")}`;
});

/** Functions whose format string sets the width of the text. */
export const FORMATTERS: ReadonlySet<string> = new Set(["format", "printf"]);

/** Whether a format has a width that is not a constant of at most four digits. */
export function hasFreeWidth(format: string): boolean {
  return /\d{5}|\*|\{[^}]*\{/.test(format);
}
