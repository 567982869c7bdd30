import { terminalLine } from "./terminal-text.js";
import { wholeJson } from "./whole-json.js";

/**
 * JSON of a value that is safe to print: characters that steer a terminal are escaped, also those that JSON allows as they are.
 * Typed arrays become arrays of numbers, bigints become numbers of all their digits.
 */
export function escapedJson(value: unknown): string {
  return terminalLine(wholeJson(value, listed));
}

function listed(item: unknown): unknown {
  return ArrayBuffer.isView(item) && !(item instanceof DataView) ? Array.from(item as Float32Array) : item;
}
