import type { SliceItem } from "../../contract/slice/slice-item.js";
import { type RawSpec, type RecordSpec, refuseMapping } from "./form/schema.js";
import { compileRaw } from "./raw-rule.js";
import { compileRecord, type MappingContext } from "./record-rule.js";
import type { Run } from "./run.js";
import type { Place, Scope } from "./scope.js";

/** Creates the items of a row or group, one by one. @throws FieldError, and then none of them counts */
export type MakeItems = (scope: Scope, run: Run) => Iterable<SliceItem>;

/** Compiles the record and raw items of a rule or group. @throws MappingError */
export function compileItems(
  spec: { readonly record?: RecordSpec | undefined; readonly raw?: readonly RawSpec[] | undefined },
  context: MappingContext,
  place: Place,
): MakeItems {
  if (spec.record === undefined && spec.raw === undefined)
    refuseMapping(place, "needs a record or raw items");
  const record = spec.record && compileRecord(spec.record, context, [...place, "record"]);
  const raw = (spec.raw ?? []).map((item, i) => compileRaw(item, context, spec.record, [...place, "raw", i]));
  return function* (scope, run) {
    const made = record?.(scope, run);
    const { file, line, element } = scope;
    const at = file === undefined || line === undefined ? undefined : { file, line, element };
    if (made !== undefined) yield { kind: "record", ...made, at };
    for (const make of raw) {
      for (const item of make(scope, run, made?.record)) yield { kind: "raw", raw: item, at };
    }
  };
}
