/**
 * Sets a member of an object, of whatever name: an assignment to `__proto__` changes what the object inherits from, or nothing.
 */
export function setMember<T>(object: Record<string, T>, name: string, value: T): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}
