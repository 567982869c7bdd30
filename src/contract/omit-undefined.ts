/** An object type whose members that may be undefined are optional instead. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * A copy of an object without the members that are undefined. For values that are stored, hashed or sent: there a member that is
 * undefined and one that is absent must not differ.
 */
export function omitUndefined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as unknown as Defined<T>;
}
