import { bytesText } from "../contract/cell-text.js";
import { CONSOLE_DEFAULTS } from "./defaults.js";

/** A value without long texts and without vectors; `whole` is false where something was cut. */
export interface Shortened<T> {
  readonly value: T;
  readonly whole: boolean;
}

/**
 * Cuts what is too long for a page: texts, at a limit of characters; lists of many numbers, which are vectors, to their number. Bytes
 * become text. The shape stays as it is.
 */
export function shorten<T>(value: T, length: number = CONSOLE_DEFAULTS.textLength): Shortened<T> {
  let whole = true;
  const cut = (part: unknown): unknown => {
    if (typeof part === "string") {
      if (part.length <= length) return part;
      whole = false;
      return `${part.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")}…`;
    }
    if (part instanceof Uint8Array) return cut(bytesText(part));
    if (ArrayBuffer.isView(part)) return vectorText((part as Float32Array).length);
    if (Array.isArray(part)) return isVector(part) ? vectorText(part.length) : part.map(cut);
    if (typeof part === "bigint") return Number.isSafeInteger(Number(part)) ? Number(part) : String(part);
    if (part instanceof Date) return part.toISOString();
    if (typeof part === "object" && part !== null)
      return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, cut(inner)]));
    return part;
  };
  return { value: cut(value) as T, whole };
}

/** Lists of more numbers than any field of a record has. */
const VECTOR_LENGTH = 64;

function isVector(list: readonly unknown[]): boolean {
  return list.length > VECTOR_LENGTH && list.every((item) => typeof item === "number");
}

function vectorText(length: number): string {
  return `[${length} numbers]`;
}
