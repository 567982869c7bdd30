import { type MappingDocument, parseMapping } from "../mapping/form/schema.js";
import { namedMembers } from "../mapping/named-members.js";
import type { Sample } from "./sample-rows.js";

/** Most members that are listed: rows with more of them are likely to have names of their own. */
const MAX_LISTED = 128;

/** A mapping that lists the members of the rows looked at that it does not take, so that a warning names others when they come. */
export function withLeftOut(document: MappingDocument, samples: readonly Sample[]): MappingDocument {
  const mapping = parseMapping(document);
  const sources = document.sources.map((source, i) => {
    const named = namedMembers(mapping, source.name);
    const members = new Set(samples[i]!.rows.flatMap((row) => (isObject(row) ? Object.keys(row) : [])));
    const left_out = [...members].filter((name) => named?.has(name) === false);
    const isKnown = named !== undefined && members.size > 0 && left_out.length <= MAX_LISTED;
    return isKnown ? { ...source, left_out } : source;
  });
  return { ...document, sources };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
