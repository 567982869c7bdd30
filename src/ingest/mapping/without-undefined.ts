import { isPlainObject } from "../values/plain-object.js";

/**
 * Removes undefined members at every depth, and objects that have none left. An object that was empty before stays: a source said so.
 * What has nothing to remove is returned as it is.
 */
export function withoutUndefined<T>(value: T): T {
  if (!isPlainObject(value)) return value;
  const kept: [string, unknown][] = [];
  let isWhole = true;
  for (const [key, member] of Object.entries(value)) {
    const left: unknown = withoutUndefined(member);
    if (left !== member || left === undefined) isWhole = false;
    if (left !== undefined && !hasLostAll(member, left)) kept.push([key, left]);
  }
  return isWhole ? value : (Object.fromEntries(kept) as T);
}

/** Whether an object had members, and has none any more. */
function hasLostAll(before: unknown, left: unknown): boolean {
  return left !== before && isPlainObject(left) && Object.keys(left).length === 0;
}
