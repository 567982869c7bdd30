import { plainText } from "../values/plain-text.js";
import { type Condition, refuseMapping } from "./form/schema.js";
import type { PathAudit } from "./path-audit.js";
import { rowReader } from "./path-reader.js";
import type { Place } from "./scope.js";

/** Whether a row meets all conditions. */
export type Test = (row: unknown, audit: PathAudit | undefined) => boolean;

function isPresent(value: unknown): boolean {
  return (
    value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0)
  );
}

function among(given: unknown): (value: unknown) => boolean {
  const values = new Set((Array.isArray(given) ? given : [given]).map(String));
  return (value) => values.has(plainText(value ?? null));
}

function compileCondition(condition: Condition, place: Place): Test {
  const read = rowReader(condition.path, [...place, "path"], "when");
  const tests: ((value: unknown) => boolean)[] = [];
  if (condition.is !== undefined) tests.push(among(condition.is));
  if (condition.is_not !== undefined) {
    const is = among(condition.is_not);
    tests.push((value) => !is(value));
  }
  if (condition.present !== undefined) tests.push((value) => isPresent(value) === condition.present);
  if (condition.matches !== undefined) {
    let regex: RegExp;
    try {
      regex = new RegExp(condition.matches, "u");
    } catch {
      refuseMapping([...place, "matches"], "is not a regular expression", condition.matches);
    }
    tests.push((value) => regex.test(plainText(value ?? "")));
  }
  if (tests.length === 0) refuseMapping(place, "needs one of is, is_not, present, matches", condition);
  return (row, audit) => {
    // That it is not there may be the very condition.
    const value = read(row, condition.present === false ? undefined : audit);
    return tests.every((test) => test(value));
  };
}

/** Compiles the conditions of a rule; a rule without conditions accepts every row. @throws MappingError */
export function compileConditions(conditions: readonly Condition[] | undefined, place: Place): Test {
  const tests = (conditions ?? []).map((condition, i) => compileCondition(condition, [...place, i]));
  return (row, audit) => tests.every((test) => test(row, audit));
}
