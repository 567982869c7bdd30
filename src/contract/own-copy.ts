/**
 * Copies options, so that what becomes of their object does not matter to a function that reads them while it waits. What they inherit
 * stays; lists and objects inside are shared. Anything but an object stays as it is.
 */
export function ownOptions<T>(options: T): T {
  if (typeof options !== "object" || options === null || Array.isArray(options)) return options;
  return Object.create(Object.getPrototypeOf(options), Object.getOwnPropertyDescriptors(options)) as T;
}

/**
 * Copies the parameters or options of a call: an object or a list, and the lists in it. Anything else stays as it is, bytes and
 * instances inside too.
 */
export function ownParams<T>(given: T): T {
  if (typeof given !== "object" || given === null) return given;
  const copy = (Array.isArray(given) ? [...given] : { ...given }) as T & object;
  for (const [name, value] of Object.entries(copy))
    if (Array.isArray(value)) (copy as Record<string, unknown>)[name] = [...value];
  return copy;
}

/**
 * Puts copies in the place of the arguments of a call that are plain objects or lists, before the function waits. Instances of classes,
 * iterators and functions stay, and so does what is inside.
 */
export function ownArguments(args: unknown[]): void {
  for (const [at, given] of args.entries()) {
    if (Array.isArray(given)) args[at] = [...given];
    else if (isPlain(given)) args[at] = ownOptions(given);
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
