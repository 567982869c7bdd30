import { z } from "zod";
import { errorValue, SECRET } from "./error-value.js";
import { UsageError } from "./errors.js";
import { nearestName } from "./nearest-name.js";
import { type AnyFunction, SignalOption } from "./option-schemas.js";
import { type BrokenRule, brokenRules, nameOfPath, withArticle } from "./rule-text.js";
import { shown } from "./shown-value.js";

/** A schema for each option of `T`. A schema of a function checks only that the value is a function. */
export type OptionSchemas<T> = {
  readonly [K in keyof Required<T>]: z.ZodType<
    Exclude<T[K], undefined> extends AnyFunction ? AnyFunction | undefined : T[K]
  >;
};

/** The schema of a function's options, created on first use. */
export interface OptionsSchema<T extends object> {
  readonly get: () => z.ZodType<T>;
}

/** Declares the options of a function: one schema per option. Any other name is rejected. */
export function optionsSchema<T extends object>(shape: () => OptionSchemas<T>): OptionsSchema<T> {
  let made: z.ZodType<T> | undefined;
  return {
    get: () => {
      made ??= z.strictObject(shape() as z.ZodRawShape) as unknown as z.ZodType<T>;
      return made;
    },
  };
}

/**
 * Checks the options of a call to a public function. The error states the name, the value, the rule and the likely intention.
 * @param caller name of the function
 * @throws UsageError `invalid_options`; its `value` is that of the first wrong option, or the name of the first unknown one; of an
 * object that is not plain data, its kind
 */
export function checkOptions<T extends object>(
  schema: OptionsSchema<T>,
  options: unknown,
  caller: string,
): asserts options is T {
  if (SignalOption.safeParse(options).success) {
    const named = namesOf(schema.get()).includes("signal");
    throw new UsageError("invalid_options", `${caller} takes an object of options, not an AbortSignal`, {
      value: errorValue(options),
      remedy: named ? "give { signal }" : `the options are ${namesOf(schema.get()).join(", ")}`,
    });
  }
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    const required = requiredOf(schema.get()).map((name) => `\`${name}\``);
    const object = `an object of options${required.length === 0 ? "" : ` with ${required.join(" and ")}`}`;
    throw new UsageError("invalid_options", `${caller} takes ${object}, not ${shown(options)}`, {
      value: errorValue(options),
      remedy: `the options are ${namesOf(schema.get()).join(", ")}`,
    });
  }
  const parsed = schema.get().safeParse(options, { jitless: true });
  if (!parsed.success)
    refuse("invalid_options", parsed.error, options, caller, { schema: schema.get(), noun: "option" });
}

/**
 * Checks a positional argument of a public function.
 * @param name its name in the declaration
 * @throws UsageError `invalid_argument`
 */
export function checkArgument<T>(
  schema: z.ZodType<T>,
  value: unknown,
  name: string,
  caller: string,
): asserts value is T {
  const parsed = schema.safeParse(value, { jitless: true });
  if (!parsed.success)
    refuse("invalid_argument", parsed.error, value, caller, { schema, noun: "member", name });
}

/** Describes the checked value for messages. */
interface Subject {
  readonly schema: z.ZodType;
  /** Noun for a member: `option`, `field`. */
  readonly noun: string;
  /** Name of the argument, if the value is an argument. */
  readonly name?: string | undefined;
}

/** A problem of a value, with its remedy. */
export interface Explained {
  /** Path of the problem: `platforms[0].slug`. */
  readonly name: string;
  readonly problem: string;
  readonly remedy: string;
}

/** Throws one error for all broken rules, each with name, value, rule and likely intention. */
export function explainIssues(error: z.ZodError, given: unknown, subject: Subject): Explained[] {
  return error.issues.flatMap(brokenRules).map((broken) => explain(broken, given, subject));
}

function refuse(code: string, error: z.ZodError, given: unknown, caller: string, subject: Subject): never {
  const said = explainIssues(error, given, subject);
  const [first] = error.issues.flatMap(brokenRules);
  const value = first!.words === undefined ? first!.path.at(-1) : valueAt(given, first!.path);
  throw new UsageError(code, `${caller}: ${said.map(({ problem }) => problem).join("; ")}`, {
    value: isSecret(first!.path) ? undefined : errorValue(value),
    remedy: [...new Set(said.map(({ remedy }) => remedy))].join("; "),
    cause: error,
  });
}

function explain(
  { path, words, allowed, expected }: BrokenRule,
  given: unknown,
  subject: Subject,
): Explained {
  const name = nameOfPath(subject.name === undefined ? path : [subject.name, ...path]);
  if (words === undefined) {
    const known = namesOf(schemaAt(subject.schema, path.slice(0, -1)));
    const meant = nearestName(String(path.at(-1)), known);
    return {
      name,
      problem: `there is no ${subject.noun} ${name}${meant === undefined ? "" : `, did you mean ${meant}?`}`,
      remedy: known.length === 0 ? `leave ${name} out` : `the ${subject.noun}s are ${known.join(", ")}`,
    };
  }
  const value = valueAt(given, path);
  const rule =
    words !== "required"
      ? `it ${words}`
      : expected === undefined
        ? "it is required"
        : `it must be ${withArticle(expected)}`;
  const is = value === undefined ? "missing" : isSecret(path) ? typeof value : shown(value);
  const meant = meantValue(value, allowed, expected);
  return {
    name,
    problem: `${name} is ${is}, ${rule}${meant === undefined ? "" : `, did you mean ${meant}?`}`,
    remedy: meant === undefined ? `correct ${name}: ${rule}` : `give ${name}: ${meant}`,
  };
}

/** The value that was probably meant, written as code. */
function meantValue(
  value: unknown,
  allowed: readonly unknown[] = [],
  expected: string | undefined,
): string | undefined {
  const names = allowed.filter((one) => typeof one === "string");
  const word = value === false ? "off" : value === true ? "on" : value;
  if (typeof word === "string" && names.length > 0) {
    const near = nearestName(word, names);
    if (near !== undefined) return JSON.stringify(near);
  }
  if (typeof value !== "string") return undefined;
  if (["number", "int"].includes(expected ?? "") && value.trim() !== "" && Number.isFinite(Number(value)))
    return String(Number(value));
  if (expected === "boolean" && ["true", "false"].includes(value)) return value;
  return expected === "array" ? JSON.stringify([value]) : undefined;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
}

function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  return path.reduce<z.ZodType | undefined>((at, key) => {
    const inner = unwrapped(at);
    if (inner instanceof z.ZodObject) return inner.shape[String(key)] as z.ZodType | undefined;
    return inner instanceof z.ZodArray ? (inner.element as z.ZodType) : undefined;
  }, schema);
}

function unwrapped(schema: z.ZodType | undefined): z.ZodType | undefined {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;
}

function namesOf(schema: z.ZodType | undefined): string[] {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

/** Names the members that have to be given. */
function requiredOf(schema: z.ZodType | undefined): string[] {
  const inner = unwrapped(schema);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape as Record<string, z.ZodType>)
    .filter(([, member]) => !member.safeParse(undefined, { jitless: true }).success)
    .map(([name]) => name);
}

function isSecret(path: readonly PropertyKey[]): boolean {
  return SECRET.test(String(path.at(-1) ?? ""));
}
