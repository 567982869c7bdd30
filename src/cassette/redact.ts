import { z } from "zod";
import { type ExactJson, Members, numbersIn, Verbatim } from "./exact-json.js";
import { isGuessable, saidToBeKey } from "./guessable-key.js";

/** What takes the place of a secret. */
export const REDACTED = "REDACTED";

/** What is taken out before anything reaches the disk, beside the keys of the requests. */
export interface RedactOptions {
  /** Names of members whose values are taken out, at any depth and in any case. */
  readonly fields?: readonly string[] | undefined;
  /** Texts and patterns that are taken out wherever they stand. */
  readonly texts?: readonly (string | RegExp)[] | undefined;
}

/** Checks of {@link RedactOptions}. */
export const RedactOption: z.ZodType<RedactOptions> = z.strictObject({
  fields: z.array(z.string()).optional(),
  texts: z.array(z.union([z.string(), z.instanceof(RegExp)])).optional(),
});

/** Members that hold secrets by their names. */
const SECRET_FIELDS = ["api_key", "apikey", "authorization", "access_token", "token", "secret", "password"];
/** Headers that are not kept: they hold secrets, or speak of one connection. */
const LEFT_OUT = new Set([
  "set-cookie",
  "cookie",
  "authorization",
  "x-api-key",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "content-encoding",
]);
/** Keys of this library and of services like it (decisions.md, "Ids, hashes"). */
const KEY_PATTERN = /ml_[0-9A-Za-z]{32}/g;
/** Shorter forms of a secret in base64 and hex stand in hashes and ids by chance: taking them out would spoil answers. */
const SHORTEST_PACKED = 8;

/** Takes secrets out of requests and answers. */
export class Redactor {
  private readonly fields: ReadonlySet<string>;
  private readonly patterns: RegExp[];
  /** The longest first: one may be part of another. */
  private secrets: readonly string[] = [];
  /** Guessable keys are taken out only where a text says that they are keys: others would be spoiled. */
  private readonly guessable = new Map<string, RegExp>();

  constructor({ fields = [], texts = [] }: RedactOptions = {}) {
    this.fields = new Set([...SECRET_FIELDS, ...fields].map((name) => name.toLowerCase()));
    this.patterns = texts.filter((text) => text instanceof RegExp).map(globally);
    for (const text of texts) if (typeof text === "string" && text !== "") this.add(text);
  }

  /**
   * Learns a secret, such as the key of a request: it is taken out from now on, however it is written; a guessable one where the text
   * says that it is a key.
   */
  learn(secret: string | null | undefined): void {
    if (secret === null || secret === undefined || secret === "") return;
    if (!isGuessable(secret)) this.add(secret);
    else if (!this.guessable.has(secret)) this.guessable.set(secret, saidToBeKey(secret));
  }

  private add(secret: string): void {
    if (this.secrets.includes(secret)) return;
    const bytes = Buffer.from(secret);
    const packed = (["base64", "base64url", "hex"] as const).map((encoding) => bytes.toString(encoding));
    const safe = packed.filter((form) => form.length >= SHORTEST_PACKED);
    const forms = new Set([...this.secrets, secret, encodeURIComponent(secret), ...safe]);
    this.secrets = [...forms].sort((a, b) => b.length - a.length);
  }

  /** Learns the keys of a request (service.md section 5), and what its query has under a secret's name. */
  learnKeysOf({ headers, url }: Request): void {
    const authorization = headers.get("authorization")?.trim();
    const credential = authorization?.replace(/^\S+\s+/, "");
    this.learn(credential);
    if (credential !== undefined && !isGuessable(credential)) this.learn(authorization);
    this.learn(headers.get("x-api-key")?.trim());
    for (const [name, value] of new URL(url).searchParams)
      if (this.fields.has(name.toLowerCase())) this.learn(value);
  }

  /** A text without secrets. */
  text(text: string): string {
    let clean = text.replace(KEY_PATTERN, REDACTED);
    for (const secret of this.secrets) clean = clean.replaceAll(secret, REDACTED);
    for (const key of this.guessable.values()) clean = clean.replace(key, `$1${REDACTED}`);
    for (const pattern of this.patterns) clean = clean.replace(pattern, REDACTED);
    return clean;
  }

  /** A value without secrets: of members with a secret's name nothing is left. */
  value(value: ExactJson): ExactJson {
    if (typeof value === "string") return this.text(value);
    if (value instanceof Verbatim) return value.isList ? this.numbers(value) : this.number(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (!(value instanceof Members)) return value;
    return new Members(
      value.entries.map(([name, member]) => [
        this.text(name),
        this.fields.has(name.toLowerCase()) ? REDACTED : this.value(member),
      ]),
    );
  }

  /** Bytes that are no text, without secrets. */
  bytes(bytes: Uint8Array): Uint8Array {
    // A character a byte, so that the other bytes stay.
    const text = Buffer.from(bytes).toString("latin1");
    let clean = text;
    for (const secret of this.secrets)
      clean = clean.replaceAll(Buffer.from(secret).toString("latin1"), REDACTED);
    clean = this.text(clean);
    return clean === text ? bytes : Buffer.from(clean, "latin1");
  }

  /** A number, or text in its place where a secret is in its digits. */
  private number(number: Verbatim): ExactJson {
    const clean = this.text(number.text);
    return clean === number.text ? number : clean;
  }

  /** A list of numbers; in one of fractions, which is a vector, nothing is looked for. */
  private numbers(list: Verbatim): ExactJson {
    if (list.text.includes(".")) return list;
    const numbers = numbersIn(list).map((text) => this.number(new Verbatim(text)));
    return numbers.every((number) => number instanceof Verbatim) ? list : numbers;
  }

  /** Query parameters without secrets. */
  query(query: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
    return Object.fromEntries(
      Object.entries(query).map(([name, values]) => [
        this.text(name),
        values.map((value) => (this.fields.has(name.toLowerCase()) ? REDACTED : this.text(value))),
      ]),
    );
  }

  /** Headers to keep, names in lower case, without secrets. */
  headers(headers: Iterable<readonly [string, string]>): Record<string, string> {
    const kept: Record<string, string> = {};
    for (const [name, value] of headers) {
      const lower = name.toLowerCase();
      if (!LEFT_OUT.has(lower)) kept[lower] = this.fields.has(lower) ? REDACTED : this.text(value);
    }
    return kept;
  }
}

/** The pattern, which finds all that it matches. */
function globally({ source, flags }: RegExp): RegExp {
  return new RegExp(source, `${flags.replace(/[gy]/g, "")}g`);
}
