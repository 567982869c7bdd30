/**
 * Looks a name from outside up in a table: data may call a field or a resource `constructor`, which every object inherits.
 * @returns undefined unless the table itself has the name
 */
export function ownMember<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
