import { bytesText } from "../../contract/cell-text.js";
import { wholeJson } from "../../contract/whole-json.js";

/**
 * The entries of a MAP as an object. A key that is no scalar is JSON, bytes are as DuckDB prints them. Of keys with the same text, as `1`
 * and `'1'` of a UNION, the later ones are numbered: `1 (2)`. No entry is lost.
 */
export function mapObject(
  entries: Iterable<readonly [key: unknown, value: unknown]>,
): Record<string, unknown> {
  const named = new Map<string, unknown>();
  for (const [key, value] of entries) {
    const text = keyText(key);
    let name = text;
    for (let n = 2; named.has(name); n++) name = `${text} (${n})`;
    named.set(name, value);
  }
  return Object.fromEntries(named);
}

function keyText(key: unknown): string {
  if (key instanceof Uint8Array) return bytesText(key);
  return typeof key === "object" && key !== null ? wholeJson(key, jsonPart) : String(key);
}

/** JSON has neither bytes nor NaN and infinities, which are different keys. */
function jsonPart(part: unknown): unknown {
  if (part instanceof Uint8Array) return bytesText(part);
  return typeof part === "number" && !Number.isFinite(part) ? String(part) : part;
}
