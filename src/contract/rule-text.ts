import type { z } from "zod";
import { counted } from "../contract/quantity.js";

type Issue = z.core.$ZodIssue;

/** Largest number of issues in one message; keeps messages readable. */
const MAX_RULES = 5;
/** Longest parameter name echoed in a message. */
const MAX_NAME = 60;

/**
 * Describes the errors of a request's parameters: `<parameter>: <rule>`, joined by `; ` (service.md section 7, `invalid_params`;
 * the wording is assumed). It never echoes values of the request, and cuts names at 60 characters.
 */
export function ruleText(issues: readonly Issue[]): string {
  const rules = issues.flatMap(rulesOf);
  const unique = [...new Set(rules)];
  const more = unique.length - MAX_RULES;
  return unique.slice(0, MAX_RULES).join("; ") + (more > 0 ? `; and ${more} more` : "");
}

/**
 * Describes the first error of a value that is no request's, such as a file's content: `slices.0.root: must be a string`.
 * @param whole what to call the value where the error is in no part of it
 * @param before what leads to the value
 */
export function firstRule(error: z.ZodError, whole: string, before: readonly PropertyKey[] = []): string {
  const { path, words } = firstFault(error);
  const at = [...before, ...path].map(String).filter((part) => part !== "");
  return `${at.join(".") || whole}: ${words}`;
}

/** The path and the rule of the first error of a value, in the words of the library. */
export function firstFault({ issues }: z.ZodError): { path: readonly PropertyKey[]; words: string } {
  const [{ path, words }] = brokenRules(issues[0]!) as [BrokenRule];
  return { path, words: words ?? "is not known here" };
}

/** Formats a rule that is not part of a schema: `<parameter>: <rule>`. */
export function rule(path: readonly PropertyKey[], words: string): string {
  return `${path.length === 0 ? "body" : nameOfPath(path)}: ${words}`;
}

/** A rule that a value breaks. */
export interface BrokenRule {
  readonly path: readonly PropertyKey[];
  /** `required`, `must be one of lake, memory`, …; undefined for an unknown name. */
  readonly words: string | undefined;
  /** Allowed values, if the schema lists them. */
  readonly allowed?: readonly unknown[] | undefined;
  /** Expected type, for a value of a wrong type: `number`. */
  readonly expected?: string | undefined;
}

function rulesOf(issue: Issue): string[] {
  return brokenRules(issue).map(({ path, words = "unknown parameter" }) => rule(path, words));
}

/** The rules that an issue breaks. For a union, those of the branch nearest to the value. */
export function brokenRules(issue: Issue): BrokenRule[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ path: [...issue.path, key], words: undefined }));
  if (issue.code === "invalid_union" && issue.errors.length > 0 && !hasOwnWords(issue.message)) {
    const listed = listedValues(issue);
    if (listed !== undefined) {
      return [{ path: issue.path, words: oneOf(listed), allowed: listed }];
    }
    const closest = issue.errors.reduce((best, branch) => (depth(branch) > depth(best) ? branch : best));
    return closest.flatMap((inner) => brokenRules({ ...inner, path: [...issue.path, ...inner.path] }));
  }
  const kinds = kindsOf(issue);
  if (kinds !== undefined) return [{ path: issue.path, words: oneOf(kinds), allowed: kinds }];
  const allowed = issue.code === "invalid_value" ? issue.values : undefined;
  const expected = issue.code === "invalid_type" ? issue.expected : undefined;
  return [{ path: issue.path, words: ruleOf(issue), allowed, expected }];
}

/** The values that a union lists, if each of its branches is a value. */
function listedValues(union: z.core.$ZodIssueInvalidUnion): readonly unknown[] | undefined {
  const values: unknown[] = [];
  for (const branch of union.errors) {
    const [issue] = branch;
    if (branch.length !== 1 || issue?.code !== "invalid_value" || issue.path.length > 0) return undefined;
    values.push(...issue.values);
  }
  return values;
}

/** The kinds that a union of objects takes, if the member that names the kind is missing or wrong. */
function kindsOf(issue: Issue): readonly unknown[] | undefined {
  if (issue.code !== "invalid_union" || hasOwnWords(issue.message)) return undefined;
  return "options" in issue && Array.isArray(issue.options) ? issue.options : undefined;
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
      return oneOf(issue.values);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    default:
      return issue.message;
  }
}

function oneOf(values: readonly unknown[]): string {
  return `must be ${values.length > 1 ? "one of " : ""}${values.map(String).join(", ")}`;
}

/** Whether the schema has its own message instead of zod's. */
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
  if (origin === "string") return `must have ${relation} ${counted(Number(value), "character")}`;
  if (origin === "array" || origin === "set")
    return `must have ${relation} ${counted(Number(value), "item")}`;
  if (Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER) return "must be an integer from -2^53 to 2^53";
  return `must be ${relation} ${value}`;
}

/** A type with its article: `an array`. */
export function withArticle(type: string): string {
  const name = type === "int" ? "integer" : type;
  return `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`;
}

/** Path of a value as written in code: `platforms[0].slug`; empty for the root. Cut at 60 characters. */
export function nameOfPath(path: readonly PropertyKey[]): string {
  const name = path
    .map((key, i) => (typeof key === "number" ? `[${key}]` : i === 0 ? String(key) : `.${String(key)}`))
    .join("");
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}
