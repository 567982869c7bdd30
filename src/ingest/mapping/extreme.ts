import { type NumberOptions, toNumber } from "../values/convert.js";
import { parseNumber } from "../values/number.js";
import { plainText } from "../values/plain-text.js";
import type { Fold } from "./aggregate-fold.js";
import type { ValueSpec } from "./form/value-spec.js";
import { numberOptions } from "./number-options.js";

const INTEGER = /^-?\d+$/;

/** How a mapping compares values: as numbers where all are such, written in this way, or always as text. */
export interface Comparison {
  readonly isText: boolean;
  readonly numbers: NumberOptions;
  /** Whether the result is the number that was read: another reader of the value would not know how it is written. */
  readonly givesNumber: boolean;
}

const AS_THEY_STAND: Comparison = { isText: false, numbers: {}, givesNumber: false };

/** The comparison of the values of a specification. */
export function comparisonOf(spec: ValueSpec): Comparison {
  if (typeof spec === "string") return AS_THEY_STAND;
  if (spec.type !== undefined && spec.type !== "json") {
    return { ...AS_THEY_STAND, isText: spec.type === "string" };
  }
  const numbers = numberOptions(spec);
  const givesNumber = Object.values(numbers).some((option) => option !== undefined);
  return { isText: false, numbers, givesNumber };
}

/** Keeps the least or the greatest of the values; the first of equal ones. */
export function extreme(which: "min" | "max", { isText, numbers, givesNumber }: Comparison): Fold {
  const sign = which === "max" ? 1 : -1;
  let areNumbers = !isText;
  let number: { readonly v: unknown; readonly n: number } | undefined;
  let text: { readonly v: unknown; readonly t: string } | undefined;
  return {
    add({ v }) {
      const t = plainText(v);
      if (text === undefined || sign * compareTexts(t, text.t) > 0) text = { v, t };
      if (!areNumbers) return;
      const n = parseNumber(v, numbers);
      if (n === undefined) areNumbers = false;
      else if (number === undefined || sign * compareNumbers(n, v, number.n, number.v) > 0) number = { v, n };
    },
    result() {
      if (!areNumbers || number === undefined) return text?.v;
      return givesNumber ? toNumber(number.v, false, which, numbers) : number.v;
    },
  };
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a > b ? 1 : -1;
}

/** Integers that no double tells apart differ by their digits. */
function compareNumbers(a: number, aGiven: unknown, b: number, bGiven: unknown): number {
  if (a !== b || Number.isSafeInteger(a)) return a - b;
  const [aText, bText] = [plainText(aGiven).trim(), plainText(bGiven).trim()];
  if (!INTEGER.test(aText) || !INTEGER.test(bText)) return 0;
  const difference = BigInt(aText) - BigInt(bText);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}
