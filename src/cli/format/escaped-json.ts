import { terminalLine } from "../../contract/terminal-text.js";

/**
 * JSON of a value that is safe to print: characters that steer a terminal are escaped, also those that JSON allows as they are.
 * Typed arrays become arrays of numbers, bigints become numbers.
 */
export function escapedJson(value: unknown): string {
  return terminalLine(
    JSON.stringify(value, (_key, item: unknown) => {
      if (ArrayBuffer.isView(item) && !(item instanceof DataView)) return Array.from(item as Float32Array);
      return typeof item === "bigint" ? Number(item) : item;
    }),
  );
}
