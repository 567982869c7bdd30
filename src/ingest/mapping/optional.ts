/** Applies `make` to a value; undefined stays undefined. */
export function optional<T, R>(value: T | undefined, make: (value: T) => R): R | undefined {
  return value === undefined ? undefined : make(value);
}
