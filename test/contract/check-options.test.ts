import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../../src/contract/check-options.js";
import { UsageError } from "../../src/contract/errors.js";
import {
  CallbackOption,
  FlagOption,
  PathOption,
  PathsOption,
  SignalOption,
  ThreadsOption,
} from "../../src/contract/option-schemas.js";

interface Options {
  readonly lake: string;
  readonly account?: "lake" | "memory";
  readonly limits?: "on" | "off";
  readonly threads?: number;
  readonly rebuild?: boolean;
  readonly apiKey?: string;
  readonly platforms?: readonly { readonly slug: string }[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number) => void;
}

const SCHEMA = optionsSchema<Options>(() => ({
  lake: PathOption,
  account: z.enum(["lake", "memory"]).optional(),
  limits: z.enum(["on", "off"]).optional(),
  threads: ThreadsOption.optional(),
  rebuild: FlagOption.optional(),
  apiKey: z.string().min(3).optional(),
  platforms: z.array(z.strictObject({ slug: z.string() })).optional(),
  signal: SignalOption.optional(),
  onProgress: CallbackOption.optional(),
}));

const NAMES = "lake, account, limits, threads, rebuild, apiKey, platforms, signal, onProgress";

function errorOf(options: unknown): UsageError {
  try {
    checkOptions(SCHEMA, options, "openIt");
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error("not refused");
}

describe("checkOptions", () => {
  it("takes what is right, undefined members of a known name included", () => {
    for (const options of [
      { lake: "a" },
      { lake: "a", account: "memory", threads: 0, rebuild: false, signal: undefined },
      { lake: "a", signal: AbortSignal.timeout(1), onProgress: () => {}, platforms: [{ slug: "a" }] },
    ])
      checkOptions(SCHEMA, options, "openIt");
  });

  it.each([
    [
      { lake: "a", acount: "memory" },
      "openIt: there is no option acount, did you mean account?",
      `the options are ${NAMES}`,
      "acount",
    ],
    [{ lake: "a", zzz: 1 }, "openIt: there is no option zzz", `the options are ${NAMES}`, "zzz"],
    [
      { lake: "a", account: "mem" },
      'openIt: account is "mem", it must be one of lake, memory, did you mean "memory"?',
      'give account: "memory"',
      "mem",
    ],
    [
      { lake: "a", limits: false },
      'openIt: limits is false, it must be one of on, off, did you mean "off"?',
      'give limits: "off"',
      false,
    ],
    [
      { lake: "a", threads: "4" },
      'openIt: threads is "4", it must be a number, did you mean 4?',
      "give threads: 4",
      "4",
    ],
    [
      { lake: "a", threads: -1 },
      "openIt: threads is -1, it must be at least 0",
      "correct threads: it must be at least 0",
      -1,
    ],
    [
      { lake: "a", rebuild: "true" },
      'openIt: rebuild is "true", it must be a boolean, did you mean true?',
      "give rebuild: true",
      "true",
    ],
    [{}, "openIt: lake is missing, it must be a path", "correct lake: it must be a path", undefined],
    [
      { lake: new URL("file:///tmp") },
      "openIt: lake is an object of type URL, it must be a path",
      "correct lake: it must be a path",
      new URL("file:///tmp"),
    ],
    [
      { lake: "a", apiKey: "s3" },
      "openIt: apiKey is string, it must have at least 3 characters",
      "correct apiKey: it must have at least 3 characters",
      undefined,
    ],
    [
      { lake: "a", platforms: [{ slug: "a" }, { slag: "b", slug: "b" }] },
      "openIt: there is no option platforms[1].slag, did you mean slug?",
      "the options are slug",
      "slag",
    ],
    [
      { lake: "a", onProgress: 3, signal: {} },
      "openIt: signal is an object, it must be an AbortSignal, such as new AbortController().signal; onProgress is 3, it must be a function",
      "correct signal: it must be an AbortSignal, such as new AbortController().signal; correct onProgress: it must be a function",
      {},
    ],
    [
      undefined,
      "openIt takes an object of options with `lake`, not undefined",
      `the options are ${NAMES}`,
      undefined,
    ],
    [null, "openIt takes an object of options with `lake`, not null", `the options are ${NAMES}`, null],
    ["a", 'openIt takes an object of options with `lake`, not "a"', `the options are ${NAMES}`, "a"],
    [["a"], "openIt takes an object of options with `lake`, not an array", `the options are ${NAMES}`, ["a"]],
  ])("refuses %j", (options, message, remedy, value) => {
    const error = errorOf(options);
    expect(error).toMatchObject({ code: "invalid_options", message, remedy });
    expect(error.value).toEqual(value);
  });
});

describe("checkArgument", () => {
  it.each([
    [PathsOption, "out", 'run: dirs is "out", it must be an array, did you mean ["out"]?'],
    [PathsOption, ["a", 3], "run: dirs[1] is 3, it must be a path"],
    [PathOption, undefined, "run: dirs is missing, it must be a path"],
    [PathOption, "", 'run: dirs is "", it must be a path, not an empty text'],
  ])("names the argument", (schema, value, message) => {
    expect(() => checkArgument(schema as z.ZodType, value, "dirs", "run")).toThrow(
      expect.objectContaining({ code: "invalid_argument", message }),
    );
  });
});

describe("the value of an error", () => {
  const carried = (value: unknown) => {
    try {
      checkArgument(z.number(), value, "given", "openIt");
    } catch (error) {
      return (error as UsageError).value;
    }
    throw new Error("not refused");
  };

  it.each([["text"], [null], [[1, "a"]], [{ slug: "a", more: [{ n: 1 }] }]])("is plain data: %j", (value) => {
    expect(carried(value)).toBe(value);
  });

  it("is the kind of an object that may hold more than what was given, such as a key", () => {
    const lake = { apiKey: "ml_secret", search: () => {} };
    expect(carried(lake)).toBe("an object");
    expect(carried({ inner: { apiKey: "ml_secret" } })).toBe("an object");
    expect(carried({ client: { call: () => {} } })).toBe("an object");
    expect(carried([lake])).toBe("an array");
    expect(carried(new URL("https://user:pass@example.com"))).toBe("an object of type URL");
    expect(carried(new Map([["apiKey", "ml_secret"]]))).toBe("an object of type Map");
    expect(errorOf({ lake }).value).toBe("an object");
    expect(inspect(errorOf({ lake, account: lake }))).not.toContain("ml_secret");
  });
});
