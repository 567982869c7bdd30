import type { ValueSpec } from "../mapping/form/value-spec.js";
import type { Profile } from "./profile.js";

type Options = Omit<Exclude<ValueSpec, string>, "path" | "absent">;

/** The value of a field, without the marks that stand for none in it. */
export function valueAt({ path, absent }: Pick<Profile, "path" | "absent">, options?: Options): ValueSpec {
  if (absent.length > 0) return { path, absent: [...absent], ...options };
  return options === undefined ? path : { path, ...options };
}

/** Share of the members of rows that are lists of one value, where they are values in brackets. */
const MOSTLY = 0.75;
/** Fewest rows that show it. */
const MIN_ROWS = 3;

/**
 * Names of members that are a list of one value in every row, where most members are: so a crawler writes what it selects on a page
 * (`"title": ["A lamp"]`). Elsewhere a list of one is a list.
 */
export function bracketed(rows: readonly unknown[]): ReadonlySet<string> {
  const names = new Map<string, boolean>();
  for (const row of rows) {
    if (row === null || typeof row !== "object" || Array.isArray(row)) return new Set();
    for (const [name, value] of Object.entries(row))
      names.set(name, names.get(name) !== false && isBracketed(value));
  }
  const found = [...names].flatMap(([name, is]) => (is ? [name] : []));
  return new Set(rows.length >= MIN_ROWS && found.length >= names.size * MOSTLY ? found : []);
}

function isBracketed(value: unknown): boolean {
  return Array.isArray(value) && value.length <= 1 && !(value[0] instanceof Object);
}
