/**
 * Looks a name from outside up in a table: data may call a field or a resource `constructor`, which every object inherits.
 * @returns undefined unless the table itself has the name
 */
export function ownMember<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/**
 * Sets a member of an object, of whatever name: an assignment to `__proto__` changes what the object inherits from, or nothing.
 */
export function setMember<T>(object: Record<string, T>, name: string, value: T): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}
