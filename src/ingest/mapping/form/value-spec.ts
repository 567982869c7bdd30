import { z } from "zod";

/** A source path; see `parsePath`. */
export const PathText = z.string().min(1);

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** Keys that define a value's origin; a value has exactly one of them. */
/** A path in a template; splitting by it gives texts and paths in turn. */
export const TEMPLATE_PATH = /\{([^{}]+)\}/;

const ORIGINS = ["path", "value", "template", "list", "columns", "hash", "record", "detect"] as const;

const ValueObject = z
  .strictObject({
    /** Source path, or several: the first with a value is used. In an `each`, `^.x` reads the enclosing row and `#` is the element's 0-based position. `@file`, `@name`, `@stem`, `@folder`, `@archive`, `@member` and `@line` are the row's place, `@captured` the capture time given. */
    path: z.union([PathText, z.array(PathText).min(1)]).optional(),
    /** A constant. `null` is for data of raw items only. */
    value: z.json().optional(),
    /** Text with `{path}` in it, and `{@hash}` for 8 hexadecimal digits of the row's SHA-256; absent if one of the paths has no value, and then counted in a warning unless there is a `default` or it is `required`. */
    template: z.string().min(1).optional(),
    /** A list of the values of these paths; lists among them are flattened. */
    list: z.array(PathText).min(1).optional(),
    /** A list of `name:value` over these members of the row, without missing values. */
    columns: z.array(PathText).min(1).optional(),
    /** 32 hexadecimal digits of the SHA-256 over the values of these paths; `["$"]` for the whole row. */
    hash: z.array(PathText).min(1).optional(),
    /** A field of the record created by the same rule: `id`, `prov.ts`, `metrics.likes`. */
    record: PathText.optional(),
    /** Detected language of the text at these paths, BCP 47; `und` if undetermined. */
    detect: z.array(PathText).min(1).optional(),

    /** Of a list: the member that stands for each object in it, beside other items: `text` of `["a ", { "text": "b" }]`. */
    member: z.string().min(1).optional(),
    /** Separator of list members in text. */
    split: z.string().min(1).optional(),
    /** Decode Unicode escapes left in text: the six characters `\u00e9` become `é`. */
    unescape: z.boolean().optional(),
    /** Decode HTML left in text: `entities` (`&amp;` becomes `&`), or `text`, which also removes tags. */
    html: z.enum(["entities", "text"]).optional(),
    /** Regular expression that text must match; its first group, or the whole match, is the value. */
    match: z.string().min(1).optional(),
    /** What becomes of the match, with its groups: `$1-$2`, `$<name>`. Default: the first group, or the whole match. */
    replace: z.string().optional(),
    case: z.enum(["lower", "upper"]).optional(),
    /** Keep empty text instead of treating it as absent. */
    keep_empty: z.boolean().optional(),
    /** Values that mean absent. */
    absent: z.array(scalar).min(1).optional(),
    /** Enumeration: source value to target value. An unlisted value is rejected unless there is an `else`. */
    map: z.record(z.string(), z.json()).optional(),
    /** Target of an unlisted value; null: absent. */
    else: z.json().optional(),

    /** Default: the type of the target field; in raw data, that of the source. */
    type: z.enum(["string", "integer", "number", "boolean", "list", "json"]).optional(),
    thousands: z.string().length(1).optional(),
    decimal: z.string().length(1).optional(),
    /** Factors by suffix: `{ "万": 10000 }`. */
    suffixes: z.record(z.string().min(1), z.number()).optional(),
    multiply: z.number().optional(),
    /** Decimal places to round to. */
    round: z.number().int().min(0).max(15).optional(),

    /** Reduces a list to one number. */
    reduce: z.enum(["mean", "sum", "min", "max", "count"]).optional(),
    /** Converts a number to a name: that of the first band it is below, or of the last band, which has no bound. */
    bands: z
      .array(z.strictObject({ below: z.number().optional(), is: z.string() }))
      .min(1)
      .optional(),

    /** Time formats, tried in order: `epoch_s`, `iso`, `yyyy-MM-dd HH:mm:ss`, …; the value becomes ISO 8601 with offset. */
    time: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
    /** Zone of times without one: `+08:00`, `UTC`, or an IANA name. Default UTC. */
    zone: z.string().min(1).optional(),
    /** For formats without a year: path of a year, or of an ISO 8601 time that the date cannot precede. */
    year_from: PathText.optional(),
    /** Like `year_from`: path of an ISO 8601 time that the date cannot follow, such as `@captured`. */
    year_to: PathText.optional(),
    /** For the format `ago` ("3 hours ago"): path of the ISO 8601 time that it is counted from. Default `@captured`. */
    ago_from: PathText.optional(),

    /** Replace an author's id with its salted hash. */
    author_hash: z.boolean().optional(),
    /** Convert an ISO 639-1, -2 or -3 language code to BCP 47. */
    language: z.boolean().optional(),
    /** Join a list into text with this separator. With an empty one the white space around the items stays between them. */
    join: z.string().optional(),
    /** Maximum items of a list. */
    limit: z.number().int().min(1).optional(),
    /** Drop repeated items of a list. Default false: what stands in the source is kept. */
    unique: z.boolean().optional(),
    /** Value used if none is found. */
    default: z.json().optional(),
    /** Reject the row if no value is found. */
    required: z.boolean().optional(),
  })
  .check((context) => {
    const value = context.value;
    const addIssue = (message: string, path: (string | number)[] = []) =>
      context.issues.push({ code: "custom", message, input: value, path });
    if (ORIGINS.filter((key) => value[key] !== undefined).length !== 1) {
      addIssue(`needs exactly one of ${ORIGINS.join(", ")}`);
    }
    if (value.bands?.some(({ below }, i) => (below === undefined) !== (i === value.bands!.length - 1))) {
      addIssue("every band but the last needs below");
    }
    value.bands?.forEach(({ below }, i, bands) => {
      const before = bands[i - 1]?.below;
      if (below === undefined || before === undefined || below > before) return;
      addIssue(`below ${below} comes after below ${before}, so no number gets there`, ["bands", i, "below"]);
    });
    const literals = value.template?.split(TEMPLATE_PATH).filter((_, i) => i % 2 === 0);
    if (literals?.some((text) => /[{}]/.test(text)))
      addIssue("has a brace that does not belong to a {path}", ["template"]);
    if (value.decimal !== undefined && value.decimal === value.thousands)
      addIssue("thousands and decimal are the same");
    if (value.else !== undefined && value.map === undefined) addIssue("else needs map");
    const { time, zone, year_from, year_to, ago_from } = value;
    if (time === undefined && (zone ?? year_from ?? year_to ?? ago_from) !== undefined) {
      addIssue("zone, year_from, year_to and ago_from need time");
    }
    if (year_from !== undefined && year_to !== undefined) addIssue("has year_from and year_to");
    if (value.replace !== undefined && value.match === undefined) addIssue("replace needs match");
  });

/** Value specification of a mapping field. A string alone is a source path. */
export const ValueSpec = z.union([PathText, ValueObject], {
  error: "must be a source path or an object",
});
export type ValueSpec = Readonly<z.infer<typeof ValueSpec>>;
/** A value specification other than a plain source path. */
export type ValueObject = Exclude<ValueSpec, string>;
