import type { TargetType } from "../values/convert.js";
import type { ValueSpec } from "./form/value-spec.js";
import type { Place, Scope, Value } from "./scope.js";
import { compileValue } from "./value.js";

/** Objects of a record that have members which they cannot be without (service.md section 2.3). */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  author: ["uid_hash"],
  price: ["current", "currency"],
  sentiment: ["score", "label"],
};

/** Removes from a draft what only constants and defaults made. */
export type DropStandIns = (draft: Record<string, unknown>, scope: Scope) => void;

/** A field of a mapping, with the type and the place that it is compiled for. */
export interface PlacedField {
  readonly field: string;
  readonly value: ValueSpec;
  readonly target: TargetType;
  readonly place: Place;
}

/**
 * Compiles which objects of a record a row does not have: constants and defaults (the currency of a price) complete an object, and
 * make none where a required member is absent and nothing in it comes from the row.
 */
export function compileStandIns(fields: readonly PlacedField[]): DropStandIns {
  const objects = Object.entries(REQUIRED).flatMap(([name, members]) => {
    const own = fields.filter(({ field }) => field.startsWith(`${name}.`));
    const fromRow = own.flatMap(rowValue);
    // An object of constants alone is meant.
    return fromRow.length === 0 ? [] : [{ name, members, fromRow }];
  });
  return (draft, scope) => {
    for (const { name, members, fromRow } of objects) {
      const object = draft[name] as Readonly<Record<string, unknown>> | undefined;
      if (object === undefined || members.every((member) => object[member] !== undefined)) continue;
      if (fromRow.every((value) => value({ ...scope, audit: undefined }) === undefined)) delete draft[name];
    }
  };
}

/** The value that a field has of the row; none for a constant. */
function rowValue({ field, value, target, place }: PlacedField): Value[] {
  if (typeof value === "string") return [compileValue(value, target, place, field)];
  if (value.value !== undefined) return [];
  return [compileValue({ ...value, default: undefined }, target, place, field)];
}
