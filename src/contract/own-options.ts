/**
 * Copies options, so that what becomes of their object does not matter to a function that reads them while it waits. What they inherit
 * stays; lists and objects inside are shared. Anything but an object stays as it is.
 */
export function ownOptions<T>(options: T): T {
  if (typeof options !== "object" || options === null || Array.isArray(options)) return options;
  return Object.create(Object.getPrototypeOf(options), Object.getOwnPropertyDescriptors(options)) as T;
}
