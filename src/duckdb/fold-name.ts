/**
 * A name as DuckDB compares names, and as ClickHouse lowers them: without the case of ASCII letters, and of no others. `toLowerCase`
 * would make `k` of the Kelvin sign, and so one name of two.
 */
export function foldName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
