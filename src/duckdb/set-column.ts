/**
 * Sets one member of several objects.
 * @param first the first of the objects
 * @param read the value of the n-th
 */
export function setColumn(
  rows: readonly Record<string, unknown>[],
  first: number,
  name: string,
  read: (n: number) => unknown,
): void {
  const count = rows.length - first;
  if (name !== "__proto__") {
    for (let n = 0; n < count; n++) rows[first + n]![name] = read(n);
    return;
  }
  // An assignment would change what the object inherits from, or nothing.
  for (let n = 0; n < count; n++)
    Object.defineProperty(rows[first + n]!, name, {
      value: read(n),
      enumerable: true,
      configurable: true,
      writable: true,
    });
}
