/** What `make` makes of a value, undefined where there is none. */
export function optional<T, R>(value: T | undefined, make: (value: T) => R): R | undefined {
  return value === undefined ? undefined : make(value);
}
