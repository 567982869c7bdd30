/**
 * Sets one member of several objects.
 * @param read the value of the n-th
 * @param first the first of the objects that get one
 * @param end where they end
 */
export function setColumn(
  rows: readonly Record<string, unknown>[],
  name: string,
  read: (n: number) => unknown,
  first = 0,
  end = rows.length,
): void {
  if (name !== "__proto__") {
    for (let n = first; n < end; n++) rows[n]![name] = read(n);
    return;
  }
  // An assignment would change what the object inherits from, or nothing.
  for (let n = first; n < end; n++)
    Object.defineProperty(rows[n]!, name, {
      value: read(n),
      enumerable: true,
      configurable: true,
      writable: true,
    });
}
