import { createHash } from "node:crypto";
import type { JsonObject } from "../../contract/json.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import { recordHash } from "../../slice/record-hash.js";

/** The fields of a record, and of a raw item that is one, that quote what belongs to it. */
const SAMPLES = ["comment_thread", "review_sample"] as const;

/** The fields of a raw item that hold what may be quoted. */
const WORDS = ["text", "content", "body", "review"] as const;

/** Samples quote up to 500 characters (code points) of a text. */
const SAMPLE_LENGTHS = [Number.POSITIVE_INFINITY, 500] as const;

/** SHA-256 of each form in which a sample may quote a raw item. */
export function quotesOf({ data }: Pick<RawItem, "data">): string[] {
  const texts = new Set<string>();
  for (const key of WORDS) {
    const text = data[key];
    if (typeof text !== "string" || text === "") continue;
    for (const length of SAMPLE_LENGTHS) texts.add([...text].slice(0, length).join(""));
  }
  return [...texts].map(digestOf);
}

/** Samples that stay when quotes are taken out; a key without a value where none stays. */
export type Redacted = { readonly [K in (typeof SAMPLES)[number]]?: readonly string[] | undefined };

/** What taking quotes out of the samples changes; undefined where nothing is quoted. */
export function redactSamples(
  samples: Readonly<Record<string, unknown>>,
  quotes: ReadonlySet<string>,
): Redacted | undefined {
  let changed: Record<string, readonly string[] | undefined> | undefined;
  for (const key of SAMPLES) {
    const texts = samples[key];
    if (!Array.isArray(texts)) continue;
    const stay = texts.filter((text) => typeof text !== "string" || !quotes.has(digestOf(text)));
    if (stay.length === texts.length) continue;
    changed ??= {};
    changed[key] = stay.length === 0 ? undefined : (stay as string[]);
  }
  return changed;
}

/** A record with other samples, and the hash of what it now says. */
export function redactRecord(record: StoredRecord, redacted: Redacted): StoredRecord {
  const { prov, ...rest } = replaceSamples(record, redacted);
  return { ...rest, prov: { ...prov, hash: recordHash(rest) } };
}

/** A raw item with other samples in its data. */
export function redactRaw(item: RawItem, redacted: Redacted): RawItem {
  return { ...item, data: replaceSamples(item.data, redacted) as JsonObject };
}

function replaceSamples<T extends object>(value: T, redacted: Redacted): T {
  const entries = Object.entries(value).flatMap(([key, member]) => {
    if (!Object.hasOwn(redacted, key)) return [[key, member] as const];
    const stay = redacted[key as keyof Redacted];
    return stay === undefined ? [] : [[key, stay] as const];
  });
  return Object.fromEntries(entries) as T;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
