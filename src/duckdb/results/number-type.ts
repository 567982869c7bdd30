const NUMBER = /^(?:u?(?:tiny|small|big|huge)?int(?:eger)?\d*|float\d*|double|decimal(?:\(.*\))?)$/i;

/** Whether the values of a type are numbers, as DuckDB or Arrow names it. */
export function isNumberType(type: string): boolean {
  return NUMBER.test(type);
}
