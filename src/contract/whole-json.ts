import { randomBytes } from "node:crypto";
import { terminalLine } from "./terminal-text.js";

/**
 * Begins the text that stands for a bigint until the JSON is made, since `JSON.stringify` takes none. It is not to be guessed, so that
 * no data can carry it.
 */
const DIGITS = randomBytes(16).toString("hex");
const MARKED = new RegExp(`"${DIGITS}(-?\\d+)"`, "g");

/**
 * JSON of a value with whole numbers in all their digits: bigints become numbers.
 * @param part what a part of another kind becomes
 */
export function wholeJson(value: unknown, part: (item: unknown) => unknown): string {
  let marked = false;
  const json = JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== "bigint") return part(item);
    marked = true;
    return `${DIGITS}${item}`;
  });
  return marked ? json.replace(MARKED, "$1") : json;
}

/**
 * {@link wholeJson} that is safe to print: characters that steer a terminal are escaped, also those that JSON allows as they are.
 * Typed arrays become arrays of numbers.
 */
export function escapedJson(value: unknown): string {
  return terminalLine(wholeJson(value, listed));
}

function listed(item: unknown): unknown {
  return ArrayBuffer.isView(item) && !(item instanceof DataView) ? Array.from(item as Float32Array) : item;
}
