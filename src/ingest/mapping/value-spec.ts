import { z } from "zod";

/** A source path, as `parsePath` reads it. */
export const PathText = z.string().min(1);

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** The keys that say where a value comes from; a value has exactly one of them. */
const ORIGINS = ["path", "value", "template", "list", "columns", "hash", "record", "detect"] as const;

const ValueObject = z
  .strictObject({
    /** Source path, or several: the first that leads to something counts. In an `each`, `^.x` reads the row around the element and `#` is its position from 0. */
    path: z.union([PathText, z.array(PathText).min(1)]).optional(),
    /** A constant. */
    value: z.json().optional(),
    /** Text with `{path}` in it, and `{@hash}` for 8 hexadecimal digits of the row's SHA-256; absent where one of the paths leads to nothing. */
    template: z.string().min(1).optional(),
    /** A list of what these paths lead to; lists among it are joined. */
    list: z.array(PathText).min(1).optional(),
    /** A list of `name:value` over these members of the row, those without a value left out. */
    columns: z.array(PathText).min(1).optional(),
    /** 32 hexadecimal digits of the SHA-256 over what these paths lead to; `["$"]` for the whole row. */
    hash: z.array(PathText).min(1).optional(),
    /** A field of the record that the same rule makes: `id`, `prov.ts`, `metrics.likes`. */
    record: PathText.optional(),
    /** The language of the text that these paths lead to, BCP 47; `und` where it cannot be told. */
    detect: z.array(PathText).min(1).optional(),

    /** Members of a list in text are separated by this. */
    split: z.string().min(1).optional(),
    /** Undo Unicode escapes left in text: the six characters `\u00e9` become `é`. */
    unescape: z.boolean().optional(),
    /** Regular expression that text must match; its first group, or the whole match, is the value. */
    match: z.string().min(1).optional(),
    case: z.enum(["lower", "upper"]).optional(),
    /** Keep empty text instead of taking it as absent. */
    keep_empty: z.boolean().optional(),
    /** Values that mean absent. */
    absent: z.array(scalar).min(1).optional(),
    /** Enumeration: source value to target value. A value that is not listed is refused, unless there is an `else`. */
    map: z.record(z.string(), z.json()).optional(),
    /** What an unlisted value becomes; null: absent. */
    else: z.json().optional(),

    /** Default: what the target field needs; in raw data, what the source has. */
    type: z.enum(["string", "integer", "number", "boolean", "list", "json"]).optional(),
    thousands: z.string().length(1).optional(),
    decimal: z.string().length(1).optional(),
    /** Factors by suffix: `{ "万": 10000 }`. */
    suffixes: z.record(z.string().min(1), z.number()).optional(),
    multiply: z.number().optional(),
    /** Decimal places to round to. */
    round: z.number().int().min(0).max(15).optional(),

    /** Makes one number of a list. */
    reduce: z.enum(["mean", "sum", "min", "max", "count"]).optional(),
    /** Makes a name of a number: that of the first band that it is below, or of the last, which has no bound. */
    bands: z
      .array(z.strictObject({ below: z.number().optional(), is: z.string() }))
      .min(1)
      .optional(),

    /** Time formats, tried in order: `epoch_s`, `iso`, `yyyy-MM-dd HH:mm:ss`, …; the value becomes ISO 8601 with offset. */
    time: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
    /** Zone of times that carry none: `+08:00`, `UTC`, or an IANA name. Default UTC. */
    zone: z.string().min(1).optional(),
    /** For formats without a year: leads to a year, or to an ISO 8601 time that the date cannot precede. */
    year_from: PathText.optional(),

    /** Replace an author's id by its salted hash. */
    author_hash: z.boolean().optional(),
    /** Take a language code of ISO 639-1, -2 or -3 to BCP 47. */
    language: z.boolean().optional(),
    /** Makes text of a list, with this between the items. */
    join: z.string().optional(),
    /** At most so many items of a list. */
    limit: z.number().int().min(1).optional(),
    /** Drop repeated items of a list. Default true. */
    unique: z.boolean().optional(),
    /** What stands in where nothing is found. */
    default: z.json().optional(),
    /** Refuse the row where nothing is found. */
    required: z.boolean().optional(),
  })
  .check((context) => {
    const value = context.value;
    const say = (message: string) => context.issues.push({ code: "custom", message, input: value });
    if (ORIGINS.filter((key) => value[key] !== undefined).length !== 1) {
      say(`needs exactly one of ${ORIGINS.join(", ")}`);
    }
    if (value.bands?.some(({ below }, i) => (below === undefined) !== (i === value.bands!.length - 1))) {
      say("every band but the last needs below");
    }
    if (value.decimal !== undefined && value.decimal === value.thousands)
      say("thousands and decimal are the same");
    if (value.else !== undefined && value.map === undefined) say("else needs map");
    if (value.time === undefined && (value.zone ?? value.year_from) !== undefined) {
      say("zone and year_from need time");
    }
  });

/** How a field of a mapping gets its value. A string alone is a source path. */
export const ValueSpec = z.union([PathText, ValueObject], {
  error: "must be a source path or an object",
});
export type ValueSpec = Readonly<z.infer<typeof ValueSpec>>;
/** A value specification that is more than a source path. */
export type ValueObject = Exclude<ValueSpec, string>;
