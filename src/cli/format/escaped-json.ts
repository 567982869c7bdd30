import { randomBytes } from "node:crypto";
import { terminalLine } from "../../contract/terminal-text.js";

/**
 * Begins the text that stands for a bigint until the JSON is made, since `JSON.stringify` takes none. It is not to be guessed, so that
 * no data can carry it.
 */
const DIGITS = randomBytes(16).toString("hex");
const MARKED = new RegExp(`"${DIGITS}(-?\\d+)"`, "g");

/**
 * JSON of a value that is safe to print: characters that steer a terminal are escaped, also those that JSON allows as they are.
 * Typed arrays become arrays of numbers, bigints become numbers of all their digits.
 */
export function escapedJson(value: unknown): string {
  let marked = false;
  const json = JSON.stringify(value, (_key, item: unknown) => {
    if (ArrayBuffer.isView(item) && !(item instanceof DataView)) return Array.from(item as Float32Array);
    if (typeof item !== "bigint") return item;
    marked = true;
    return `${DIGITS}${item}`;
  });
  return terminalLine(marked ? json.replace(MARKED, "$1") : json);
}
