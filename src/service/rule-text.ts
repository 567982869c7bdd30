import type { z } from "zod";

type Issue = z.core.$ZodIssue;

/** Issues named in one message; a request with a thousand wrong keys gets a message that can be read. */
const MAX_RULES = 5;
/** Longest parameter name echoed in a message. */
const MAX_NAME = 60;

/**
 * Words for what is wrong with a request's parameters: `<parameter>: <rule>`, joined by `; ` (service.md section 7,
 * `invalid_params`; the words are assumed). Values of the request are never echoed, names are cut at 60 characters.
 */
export function ruleText(issues: readonly Issue[]): string {
  const rules = issues.flatMap(rulesOf);
  const unique = [...new Set(rules)];
  const more = unique.length - MAX_RULES;
  return unique.slice(0, MAX_RULES).join("; ") + (more > 0 ? `; and ${more} more` : "");
}

/** A rule about a parameter that no schema states: `<parameter>: <rule>`. */
export function rule(path: readonly PropertyKey[], words: string): string {
  return `${parameterName(path)}: ${words}`;
}

function rulesOf(issue: Issue): string[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => rule([...issue.path, key], "unknown parameter"));
  if (issue.code === "invalid_union" && issue.errors.length > 0 && !hasOwnWords(issue.message)) {
    const closest = issue.errors.reduce((best, branch) => (depth(branch) > depth(best) ? branch : best));
    return closest.flatMap((inner) => rulesOf({ ...inner, path: [...issue.path, ...inner.path] }));
  }
  return [rule(issue.path, ruleOf(issue))];
}

function depth(issues: readonly Issue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length));
}

function ruleOf(issue: Issue): string {
  if (issue.input === undefined && issue.message.endsWith("received undefined")) return "required";
  if (hasOwnWords(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${withArticle(issue.expected)}`;
    case "too_small":
      return bound("at least", issue.origin, issue.minimum, issue.exact === true, issue.inclusive !== false);
    case "too_big":
      return bound("at most", issue.origin, issue.maximum, issue.exact === true, issue.inclusive !== false);
    case "invalid_format":
      return issue.format === "regex" ? `must match ${issue.pattern}` : `must be a valid ${issue.format}`;
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    default:
      return issue.message;
  }
}

/** Whether a schema states the rule in words of its own rather than zod's. */
function hasOwnWords(message: string): boolean {
  return !/^(?:Invalid|Too (?:small|big)|Unrecognized|[Uu]nknown error)/.test(message);
}

function bound(
  side: string,
  origin: string,
  value: number | bigint,
  exact: boolean,
  inclusive: boolean,
): string {
  const relation = exact ? "exactly" : inclusive ? side : side === "at least" ? "more than" : "less than";
  if (origin === "string") return `must have ${relation} ${value} character${value === 1 ? "" : "s"}`;
  if (origin === "array" || origin === "set")
    return `must have ${relation} ${value} item${value === 1 ? "" : "s"}`;
  return `must be ${relation} ${value}`;
}

function withArticle(type: string): string {
  const name = type === "int" ? "integer" : type;
  return `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`;
}

function parameterName(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "body";
  const name = path
    .map((key, i) => (typeof key === "number" ? `[${key}]` : i === 0 ? String(key) : `.${String(key)}`))
    .join("");
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}
