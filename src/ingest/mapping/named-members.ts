import type { Mapping } from "./form/schema.js";

/** The first members of the paths in a mapping's parts for a source; undefined where all members of its rows are taken. */
export function namedMembers(mapping: Mapping, source: string): ReadonlySet<string> | undefined {
  const { defaults, rules, sources } = mapping;
  const own = sources.find(({ name }) => name === source)!;
  const others = sources.flatMap(({ join = [] }) => join.filter((one) => one.source === source));
  const named = new Set<string>();
  const taken = [
    defaults,
    own.parse_json,
    own.join?.map(({ on }) => on),
    others,
    rules.filter(({ from }) => from === source || (Array.isArray(from) && from.includes(source))),
  ].map((part) => addMembers(part, named));
  return taken.includes("all") ? undefined : named;
}

/** Adds the first members of all texts that may be paths; a text that is none names nothing that rows have. */
function addMembers(part: unknown, named: Set<string>): "all" | "some" {
  if (typeof part === "string") return addMember(part, named);
  if (part === null || typeof part !== "object") return "some";
  const parts = Object.entries(part).map(([key, value]) => {
    // A hash of the row takes nothing out of it.
    if (key === "hash" && Array.isArray(value) && value[0] === "$") return "some";
    return addMembers(value, named);
  });
  return parts.includes("all") ? "all" : "some";
}

function addMember(text: string, named: Set<string>): "all" | "some" {
  if (text === "$") return "all";
  for (const [, inner] of text.matchAll(/\{([^{}]+)\}/g)) addPath(inner!, named);
  addPath(text.replace(/^\^\./, ""), named);
  return "some";
}

/** The first member of a path: `user` of `user.id`, `a.b` of `["a.b"].c`. */
const FIRST_MEMBER = /^\$?\.?(?:\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+))/;

function addPath(text: string, named: Set<string>): void {
  const [, quoted, plain] = FIRST_MEMBER.exec(text) ?? [];
  const member = quoted?.replace(/\\(.)/g, "$1") ?? plain;
  if (member !== undefined) named.add(member);
}
