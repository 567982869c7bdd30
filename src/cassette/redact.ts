import type { Json, JsonObject } from "../contract/json.js";

/** What takes the place of a secret. */
export const REDACTED = "REDACTED";

/** What is taken out before anything reaches the disk, beside the keys of the requests. */
export interface RedactOptions {
  /** Names of members whose values are taken out, at any depth and in any case. */
  readonly fields?: readonly string[] | undefined;
  /** Texts and patterns that are taken out wherever they stand. */
  readonly texts?: readonly (string | RegExp)[] | undefined;
}

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
/** Shorter texts are no secrets: taking them out would spoil answers. */
const LEAST = 4;

/** Takes secrets out of requests and answers. */
export class Redactor {
  private readonly fields: ReadonlySet<string>;
  private readonly patterns: RegExp[];
  /** The longest first: one may be part of another. */
  private secrets: readonly string[] = [];

  constructor({ fields = [], texts = [] }: RedactOptions = {}) {
    this.fields = new Set([...SECRET_FIELDS, ...fields].map((name) => name.toLowerCase()));
    this.patterns = texts.filter((text) => text instanceof RegExp).map(globally);
    for (const text of texts) if (typeof text === "string") this.learn(text);
  }

  /** Learns a secret, such as the key of a request: it is taken out from now on, however it is written. */
  learn(secret: string | null | undefined): void {
    if (secret === null || secret === undefined || secret.length < LEAST) return;
    if (this.secrets.includes(secret)) return;
    const bytes = Buffer.from(secret);
    const packed = (["base64", "base64url", "hex"] as const).map((encoding) => bytes.toString(encoding));
    const forms = new Set([...this.secrets, secret, encodeURIComponent(secret), ...packed]);
    this.secrets = [...forms].sort((a, b) => b.length - a.length);
  }

  /** A text without secrets. */
  text(text: string): string {
    let clean = text.replace(KEY_PATTERN, REDACTED);
    for (const secret of this.secrets) clean = clean.replaceAll(secret, REDACTED);
    for (const pattern of this.patterns) clean = clean.replace(pattern, REDACTED);
    return clean;
  }

  /** A value without secrets: of members with a secret's name nothing is left. */
  value(value: Json): Json {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return isNumbers(value) ? value : value.map((item) => this.value(item));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value as JsonObject).map(([name, member]) => [
        this.text(name),
        this.fields.has(name.toLowerCase()) ? REDACTED : this.value(member as Json),
      ]),
    );
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

function isNumbers(values: readonly Json[]): boolean {
  return values.length > 0 && values.every((value) => typeof value === "number");
}

function globally(pattern: RegExp): RegExp {
  return pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`);
}
