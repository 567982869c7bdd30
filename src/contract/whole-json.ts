import { randomBytes } from "node:crypto";

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
