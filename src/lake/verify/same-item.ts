import { isDeepStrictEqual } from "node:util";

/**
 * Whether two copies of a record or raw item say the same. A zero is a zero: JSON of a slice may have -0.0, which row stores keep as 0, and
 * no answer shows the sign.
 */
export function sameItem(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other) || isDeepStrictEqual(asJson(one), asJson(other));
}

function asJson(item: unknown): unknown {
  return item === undefined ? undefined : JSON.parse(JSON.stringify(item));
}
