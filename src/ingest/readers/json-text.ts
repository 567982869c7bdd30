/** A JSON text that was refused, and the reason. */
export class JsonTextError extends Error {
  /** Whether the text is valid JSON that is nested too deep. */
  readonly tooDeep: boolean;

  constructor(message: string, options: { tooDeep: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.tooDeep = options.tooDeep;
  }
}

/** Longer texts are measured before parsing, because the parser's memory grows with the depth. */
const LONG_TEXT = 2 ** 20;

/**
 * Parses JSON as `JSON.parse` does, with three differences: an integer beyond ±(2^53 − 1) becomes its decimal string (platform
 * ids often are), `NaN` and `Infinity`, which Python writes, are these numbers, and nesting is limited, so that later recursion is safe.
 *
 * @throws JsonTextError with a one-line reason
 */
export function parseJson(text: string, maxDepth: number): unknown {
  if (text.length > LONG_TEXT && depthOf(text) > maxDepth) throw tooDeep(maxDepth);
  try {
    const value = parseWithNaN(text);
    return holdsUnsafe(value, maxDepth, maxDepth) ? parseWithNaN(quoteUnsafeIntegers(text)) : value;
  } catch (cause) {
    if (cause instanceof JsonTextError) throw cause;
    const message = (cause as Error).message.replace(/\s+/g, " ");
    throw new JsonTextError(`is not valid JSON: ${message.slice(0, 160)}`, { tooDeep: false, cause });
  }
}

/** Texts that stand for the numbers that JSON has none for, while they are parsed. */
const MARKS: ReadonlyMap<unknown, number> = new Map([
  ["\u0000NaN", Number.NaN],
  ["\u0000Infinity", Number.POSITIVE_INFINITY],
  ["\u0000-Infinity", Number.NEGATIVE_INFINITY],
]);
const NOT_FINITE = /"|-?\bInfinity\b|\bNaN\b/g;

/**
 * Parses JSON in which `NaN`, `Infinity` and `-Infinity` are numbers.
 * @throws SyntaxError as `JSON.parse` does
 */
export function parseWithNaN(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const marked = /NaN|Infinity/.test(text) ? markNotFinite(text) : text;
    if (marked === text) throw error;
    return JSON.parse(marked, (_, value: unknown) => MARKS.get(value) ?? value);
  }
}

function markNotFinite(text: string): string {
  return withTokens(text, NOT_FINITE, (token) => `"\\u0000${token}"`);
}

/** A JSON text with some of its tokens written otherwise; what is in strings stays. The pattern finds quotes too. */
function withTokens(text: string, pattern: RegExp, written: (token: string) => string): string {
  const token = new RegExp(pattern);
  let out = "";
  let copied = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === '"') {
      token.lastIndex = endOfString(text, match.index) + 1;
      continue;
    }
    out += text.slice(copied, match.index) + written(match[0]);
    copied = token.lastIndex;
  }
  return out + text.slice(copied);
}

function tooDeep(maxDepth: number): JsonTextError {
  return new JsonTextError(`is nested deeper than ${maxDepth} levels`, { tooDeep: true });
}

/** Whether a value holds an integer that a double cannot represent safely. @throws JsonTextError if it is nested too deep */
function holdsUnsafe(value: unknown, levels: number, maxDepth: number): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (value === null || typeof value !== "object") return false;
  if (levels === 0) throw tooDeep(maxDepth);
  let unsafe = false;
  if (Array.isArray(value)) {
    for (const item of value) unsafe = holdsUnsafe(item, levels - 1, maxDepth) || unsafe;
  } else {
    for (const key in value) {
      unsafe = holdsUnsafe((value as Record<string, unknown>)[key], levels - 1, maxDepth) || unsafe;
    }
  }
  return unsafe;
}

/** Maximum depth of brackets outside strings. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) i = endOfString(text, i);
    else if (c === 0x7b || c === 0x5b) {
      depth++;
      if (depth > deepest) deepest = depth;
    } else if (c === 0x7d || c === 0x5d) depth--;
  }
  return deepest;
}

const NUMBER = /"|-?\d[\d.eE+-]*/g;

function quoteUnsafeIntegers(text: string): string {
  return withTokens(text, NUMBER, (token) => {
    const isUnsafe = /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) && !/^-?0/.test(token);
    return isUnsafe ? `"${token}"` : token;
  });
}

/** Index of the closing quote of the string that starts at `open`, or of the last character. */
export function endOfString(text: string, open: number): number {
  for (let i = text.indexOf('"', open + 1); i >= 0; i = text.indexOf('"', i + 1)) {
    let slashes = 0;
    while (text.charCodeAt(i - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return i;
  }
  return text.length - 1;
}
