import type { Removal } from "../../contract/lake/removal.js";
import { allForms } from "../../slice/addressable-id.js";

/** Characters of a record's id before the platform's own id. */
const STEM = "web_gnw_".length;

/** The removals of what a target names in the other forms that its id may have in a lake; none for most. */
export function otherForms(target: Removal): Removal[] {
  switch (target.kind) {
    case "record":
      return othersOf(target.id.slice(STEM)).map((form) => ({
        kind: "record",
        id: `${target.id.slice(0, STEM)}${form}`,
      }));
    case "raw":
    case "author":
      return othersOf(target.id).map((form) => ({ ...target, id: form }));
    default:
      return [];
  }
}

function othersOf(id: string): readonly string[] {
  return allForms(id).slice(1);
}
