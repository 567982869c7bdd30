import { z } from "zod";
import { MappingError } from "../../../contract/errors.js";
import { PlatformSlug } from "../../../contract/service/platforms.js";
import { SourceInfo } from "../../../contract/slice/slice-item.js";
import { SourceSpec, UnreadFiles } from "../../adapters/source-spec.js";
import { formRule, valueAt } from "./form-rule.js";
import { PathText, ValueSpec } from "./value-spec.js";

/** Format version that mapping files declare. */
export const MAPPING_VERSION = 1;

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** A test of one row: every given condition must hold. */
export const Condition = z.strictObject({
  path: PathText,
  /** One of these values, compared as text. */
  is: z.union([scalar, z.array(scalar).min(1)]).optional(),
  is_not: z.union([scalar, z.array(scalar).min(1)]).optional(),
  /** Whether there is a value other than null, empty text and an empty list. */
  present: z.boolean().optional(),
  matches: z.string().min(1).optional(),
});
export type Condition = Readonly<z.infer<typeof Condition>>;

/** Fields of the unified record by dotted name: `text`, `metrics.likes`, `extra.brand`. */
const RecordFields = z.record(
  z
    .string()
    .regex(
      /^(text|title|author\.(uid_hash|followers)|metrics\.[a-z_]+|comment_thread|price\.(current|currency|drop_7d)|review_sample|sentiment\.(score|label)|entities|extra\.(?!__proto__$)[\p{L}\p{M}\p{N}_]+)$/u,
      "is not a field of the unified record",
    ),
  ValueSpec,
);

/** The unified record of a row or group. */
export const RecordSpec = z.strictObject({
  platform: PlatformSlug.optional(),
  /** The platform's own id; becomes the suffix of the record's id. Default: hash of the record. */
  id: ValueSpec.optional(),
  lang: ValueSpec.optional(),
  captured_at: ValueSpec.optional(),
  fields: RecordFields,
  /** 1536 numbers, and the path of their model in the row, if there is one; the model must be `vectorModel` of `info`. */
  vector: z.strictObject({ path: PathText, model: PathText.optional() }).optional(),
});
export type RecordSpec = Readonly<z.infer<typeof RecordSpec>>;

/** Raw items of a row or group. */
export const RawSpec = z.strictObject({
  platform: PlatformSlug.optional(),
  resource: z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, "must be lower-case letters, digits, - and _"),
  /** Creates one item per element of this list. */
  each: PathText.optional(),
  /** Conditions on the row, or with `each` on the element. */
  when: z.array(Condition).min(1).optional(),
  id: ValueSpec,
  parent: ValueSpec.optional(),
  reply_to: ValueSpec.optional(),
  author: ValueSpec.optional(),
  lang: ValueSpec.optional(),
  captured_at: ValueSpec.optional(),
  created_at: ValueSpec.optional(),
  score: ValueSpec.optional(),
  offset_s: ValueSpec.optional(),
  /** `record`: the item starts as the record of the same rule, with `prov.source`; `data` adds to it. */
  base: z.literal("record").optional(),
  /** Fields of the item by dotted name. */
  data: z
    .record(z.string().regex(/^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$/, "must be names joined by dots"), ValueSpec)
    .default({}),
});
export type RawSpec = Readonly<z.infer<typeof RawSpec>>;

/** An aggregate over the rows of a group: exactly one of the functions, applied in reading order. */
export const Aggregate = z
  .strictObject({
    first: ValueSpec.optional(),
    last: ValueSpec.optional(),
    /** `min` and `max` compare as numbers where every value of the group is one, else as text. */
    min: ValueSpec.optional(),
    max: ValueSpec.optional(),
    sum: ValueSpec.optional(),
    mean: ValueSpec.optional(),
    /** Number of rows that have the value; `true`: all rows. */
    count: z.union([z.literal(true), ValueSpec]).optional(),
    /** List of the values. */
    collect: ValueSpec.optional(),
    /** Only rows of this source. */
    of: z.string().optional(),
    /** Of `collect`: maximum number of values, default 100. */
    limit: z.number().int().min(1).max(10_000).optional(),
    /** Of `collect`: keep the values with the highest number here, in that order. Default: the first values. */
    top_by: ValueSpec.optional(),
    /** Of `collect`: drop repeated values; with `top_by` the highest number of a value counts. Default false. */
    unique: z.boolean().optional(),
    /** Decimal places of `mean` and `sum`. */
    round: z.number().int().min(0).max(15).optional(),
  })
  .check((context) => {
    const { of: _of, limit, top_by, unique, round, ...functions } = context.value;
    const names = Object.keys(functions);
    const addIssue = (message: string) =>
      context.issues.push({ code: "custom", message, input: context.value });
    if (names.length !== 1) addIssue("needs exactly one of first, last, min, max, sum, mean, count, collect");
    else if (names[0] !== "collect" && (limit ?? top_by ?? unique) !== undefined) {
      addIssue("limit, top_by and unique belong to collect");
    } else if (round !== undefined && names[0] !== "mean" && names[0] !== "sum")
      addIssue("round belongs to mean and sum");
  });
export type Aggregate = Readonly<z.infer<typeof Aggregate>>;

/** Rows with the same key become one row of aggregates, from which items are created. */
export const GroupSpec = z.strictObject({
  /** The group key; a row without it is rejected. */
  by: z.array(ValueSpec).min(1),
  fields: z.record(z.string().regex(/^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]*$/, "must be a name"), Aggregate),
  record: RecordSpec.optional(),
  raw: z.array(RawSpec).min(1).optional(),
});
export type GroupSpec = Readonly<z.infer<typeof GroupSpec>>;

/** Items created from the rows of some sources. */
export const Rule = z.strictObject({
  from: z.union([z.string(), z.array(z.string()).min(1)]),
  when: z.array(Condition).min(1).optional(),
  record: RecordSpec.optional(),
  raw: z.array(RawSpec).min(1).optional(),
  group: GroupSpec.optional(),
});
export type Rule = Readonly<z.infer<typeof Rule>>;

/** Preparation of a source's rows before the rules. */
export const Preparation = z.strictObject({
  /** Paths of text that is parsed as JSON, in its place. */
  parse_json: z.array(PathText).min(1).optional(),
  /**
   * The lines are tagged tokens, and a blank line ends a sentence (CoNLL, BIO tags). Each sentence becomes one row:
   * `{ text, tokens, entities: [{ type, text }] }`.
   */
  assemble: z
    .strictObject({
      as: z.literal("bio"),
      separator: z.string().min(1).default("\t"),
      token: z.number().int().min(0).default(0),
      tag: z.number().int().min(0).default(1),
    })
    .optional(),
});
export type Preparation = Readonly<z.infer<typeof Preparation>>;

/** A row of this source gets the named fields of the row of another source that has its key, as one member more. */
export const JoinSpec = z.strictObject({
  /** A source before this one: sources are read in order. */
  source: z.string(),
  /** Path of the key in the rows of this source. */
  on: PathText,
  /** Path of the key in the rows of the other. */
  key: PathText,
  /** Paths of the fields to take; they keep their names. */
  fields: z.array(PathText).min(1),
  /** Name of the new member. */
  as: z.string().regex(/^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]*$/, "must be a name"),
});

/** A mapping file: the files of an input to read, and the items of their rows. */
export const Mapping = z.strictObject({
  mapping: z.literal(MAPPING_VERSION, { error: `must be ${MAPPING_VERSION}, the version of the format` }),
  name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, "must be lower-case letters, digits and hyphens"),
  info: SourceInfo,
  sources: z
    .array(
      z.strictObject({
        ...SourceSpec.shape,
        ...Preparation.shape,
        join: z.array(JoinSpec).min(1).optional(),
        /** Members of the rows that are known and not taken: a warning names those that are neither here nor in a rule. */
        left_out: z.array(z.string()).optional(),
      }),
    )
    .min(1),
  unread: z.array(UnreadFiles).optional(),
  /** Defaults for records and raw items. */
  defaults: z
    .strictObject({
      platform: PlatformSlug.optional(),
      lang: ValueSpec.optional(),
      captured_at: ValueSpec.optional(),
    })
    .optional(),
  rules: z.array(Rule).min(1),
});
export type Mapping = Readonly<z.infer<typeof Mapping>>;

/** A mapping as written, with defaults left out. */
export type MappingDocument = z.input<typeof Mapping>;

/** Formats a place in a JSON document: `rules[0].record.fields["metrics.likes"]`. */
export function jsonPath(path: readonly PropertyKey[]): string {
  const text = path
    .map((key) => {
      if (typeof key === "number") return `[${key}]`;
      return /^[A-Za-z_][A-Za-z0-9_]*$/.test(String(key)) ? `.${String(key)}` : `[${JSON.stringify(key)}]`;
    })
    .join("");
  return text.replace(/^\./, "") || "the mapping";
}

function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code === "invalid_key") return { ...issue, message: issue.issues[0]?.message ?? issue.message };
  if (issue.code !== "invalid_union") return issue;
  // Of a union's branches, the one with the deepest issue is most likely the intended one.
  const branches = issue.errors.map((issues) => issues[0]).filter((first) => first !== undefined);
  const best = branches.toSorted((a, b) => b.path.length - a.path.length || rank(b) - rank(a))[0];
  if (best === undefined || (best.path.length === 0 && rank(best) === 0)) return issue;
  return deepest({ ...best, path: [...issue.path, ...best.path] });
}

function rank(issue: z.core.$ZodIssue): number {
  return issue.code === "invalid_type" ? 0 : 1;
}

/** Throws a {@link MappingError} for a broken rule at one place of a mapping. */
export function refuseMapping(path: readonly PropertyKey[], rule: string, value?: unknown): never {
  throw new MappingError("invalid_mapping", `${jsonPath(path)}: ${rule}`, {
    value,
    remedy: "Correct the mapping at that place; the format is described in docs/data.md, Mapping files.",
  });
}

/**
 * Validates a mapping document against the schema.
 * @throws MappingError `invalid_mapping`, with the first offending place and the broken rule
 */
export function parseMapping(document: unknown): Mapping {
  const parsed = Mapping.safeParse(document);
  if (parsed.success) return parsed.data;
  const issue = deepest(parsed.error.issues[0]!);
  refuseMapping(issue.path, formRule(Mapping, document, issue), valueAt(document, issue.path));
}
