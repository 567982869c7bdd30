import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../contract/json.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import { recordHash } from "../../slice/record-hash.js";

/** Fields of a record, and of its raw item, that quote its comments or reviews. */
const SAMPLES = ["comment_thread", "review_sample"] as const;

/** Fields of a raw item that samples may quote. */
const WORDS = ["text", "content", "body", "review"] as const;

/** Samples quote a whole text, or its first 500 code points. */
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

/** Samples left after redaction; a key without a value if none is left. */
export type Redacted = { readonly [K in (typeof SAMPLES)[number]]?: readonly string[] | undefined };

/** Removes quotes from samples; undefined if nothing is quoted. */
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

/** Whether an item is another one, with nothing left out but quotes from its samples. */
export function isRedactionOf(
  kept: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
  quotes: ReadonlySet<string>,
): boolean {
  if (!isDeepStrictEqual(withoutSamples(kept), withoutSamples(given))) return false;
  return SAMPLES.every((key) => {
    const texts = given[key];
    const left = kept[key] ?? [];
    if (!Array.isArray(texts) || !Array.isArray(left)) return isDeepStrictEqual(kept[key], texts);
    let at = 0;
    for (const text of texts) {
      if (at < left.length && isDeepStrictEqual(left[at], text)) at++;
      else if (typeof text !== "string" || !quotes.has(digestOf(text))) return false;
    }
    return at === left.length;
  });
}

function withoutSamples(item: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(item).filter(([key]) => !(SAMPLES as readonly string[]).includes(key)),
  );
}

/** A record with other samples and its new hash. */
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
