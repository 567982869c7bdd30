import { EXTRA_KEYS, METRIC_KEYS } from "../contract/service/unified-record.js";
import { SLICE_LIMITS } from "./defaults.js";

/*
 * The schemas of zod say what is wrong with an item; for the items with which nothing is, which are nearly all, these say so in a
 * tenth of the time. They take fewer items than the schemas do, never more: a property test compares them.
 */

const RECORD_ID = /^(?:soc|eco|web)_[a-z0-9]{3}_[\x21-\x7e]{1,150}$/;
const SLUG = /^[a-z][a-z0-9-]{0,39}$/;
const RESOURCE = /^[a-z][a-z0-9_-]{0,39}$/;
const LANG = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/;
const HASH = /^0x[0-9a-f]+$/;
const CURRENCY = /^[A-Z]{3}$/;
const DAY = "(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)";
const INSTANT = new RegExp(
  `^[12]\\d{3}-${DAY}T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$`,
);
const DOMAINS: ReadonlySet<unknown> = new Set(["social", "ecommerce", "web"]);
const METRICS: ReadonlySet<string> = new Set([...METRIC_KEYS.social, ...METRIC_KEYS.ecommerce]);
const EXTRA: ReadonlySet<string> = new Set(EXTRA_KEYS);
const EXTRA_TEXTS: ReadonlySet<string> = new Set([
  ...["note_type", "topic", "channel_type", "partition", "shop_type", "promo", "category", "voucher"],
]);
const EXTRA_NUMBERS: ReadonlySet<string> = new Set(["video_dur_s", "dur_s", "danmaku_peak_s", "freshness_s"]);
/** Longer texts are for the schemas: their bytes have to be counted. */
const SHORT = Math.floor(SLICE_LIMITS.textBytes / 3);

type Members = Readonly<Record<string, unknown>>;

/** Whether a record is surely one that a slice can hold (service.md section 2.3). False does not mean that it is not. */
export function isSurelySoundRecord(record: unknown): boolean {
  if (!isPlain(record)) return false;
  let required = 0;
  for (const name in record) {
    const value = record[name];
    const rule = RULES[name as keyof typeof RULES];
    if (rule === undefined || !Object.hasOwn(RULES, name)) return false;
    if (!rule(value)) return false;
    if (REQUIRED.has(name)) required++;
  }
  return required === REQUIRED.size;
}

/** Whether the keys of a raw item, without its `data`, are surely sound. False does not mean that they are not. */
export function hasSurelySoundKeys(item: unknown): boolean {
  if (!isPlain(item)) return false;
  let required = 0;
  for (const name in item) {
    if (name === "data") continue;
    const value = item[name];
    const rule = RAW_RULES[name as keyof typeof RAW_RULES];
    if (rule === undefined || !Object.hasOwn(RAW_RULES, name) || !rule(value)) return false;
    if (RAW_REQUIRED.has(name)) required++;
  }
  return required === RAW_REQUIRED.size;
}

const REQUIRED: ReadonlySet<string> = new Set(["id", "src", "platform", "lang", "prov"]);
const RULES: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: (value) => typeof value === "string" && RECORD_ID.test(value),
  src: (value) => DOMAINS.has(value),
  platform: (value) => typeof value === "string" && SLUG.test(value),
  lang: (value) => typeof value === "string" && LANG.test(value),
  text: isText,
  title: isText,
  author: isAuthor,
  metrics: isMetrics,
  comment_thread: isTexts,
  price: isPrice,
  review_sample: isTexts,
  sentiment: isSentiment,
  entities: isTexts,
  extra: isExtra,
  prov: isProvenance,
};

const RAW_REQUIRED: ReadonlySet<string> = new Set([
  ...["platform", "resource", "id", "lang", "captured_at", "score"],
]);
const RAW_RULES: Readonly<Record<string, (value: unknown) => boolean>> = {
  platform: RULES.platform!,
  resource: (value) => typeof value === "string" && RESOURCE.test(value),
  id: isKey,
  parent: isKey,
  reply_to: isKey,
  author: isKey,
  lang: RULES.lang!,
  captured_at: isInstant,
  created_at: isInstant,
  score: (value) => typeof value === "number" && Number.isFinite(value) && Math.abs(value) <= 2 ** 53,
  offset_s: isAmount,
};

function isPlain(value: unknown): value is Members {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.length <= SHORT && value.isWellFormed();
}

function isKey(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= 400 && value.isWellFormed();
}

function isInstant(value: unknown): boolean {
  return typeof value === "string" && INSTANT.test(value);
}

function isTexts(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  let length = 0;
  for (const item of value) {
    if (typeof item !== "string" || !item.isWellFormed()) return false;
    length += item.length;
  }
  return length <= SHORT;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
}

function isAuthor(value: unknown): boolean {
  if (!isPlain(value) || !isText(value.uid_hash) || value.uid_hash === "") return false;
  for (const name in value) {
    if (name !== "uid_hash" && (name !== "followers" || !isCount(value[name]))) return false;
  }
  return true;
}

function isMetrics(value: unknown): boolean {
  if (!isPlain(value)) return false;
  for (const name in value) {
    if (!METRICS.has(name) || !(name === "rating" ? isAmount : isCount)(value[name])) return false;
  }
  return true;
}

function isPrice(value: unknown): boolean {
  if (!isPlain(value) || !isAmount(value.current)) return false;
  if (typeof value.currency !== "string" || !CURRENCY.test(value.currency)) return false;
  for (const name in value) {
    if (name === "current" || name === "currency") continue;
    if (name !== "drop_7d" || !Number.isFinite(value[name])) return false;
  }
  return true;
}

function isSentiment(value: unknown): boolean {
  return (
    isPlain(value) && Object.keys(value).length === 2 && Number.isFinite(value.score) && isText(value.label)
  );
}

function isExtra(value: unknown): boolean {
  if (!isPlain(value)) return false;
  for (const name in value) {
    const member = value[name];
    if (name === "__proto__" || !name.isWellFormed()) return false;
    if (EXTRA_TEXTS.has(name)) {
      if (!isText(member)) return false;
    } else if (EXTRA_NUMBERS.has(name)) {
      if (!isAmount(member)) return false;
    } else if (EXTRA.has(name)) return false;
    else if (typeof member === "number") {
      if (!Number.isFinite(member)) return false;
    } else if (typeof member !== "boolean" && !isText(member) && !isTexts(member)) return false;
  }
  return true;
}

function isProvenance(value: unknown): boolean {
  if (!isPlain(value) || typeof value.hash !== "string" || !HASH.test(value.hash) || !isInstant(value.ts))
    return false;
  for (const name in value) {
    if (name !== "hash" && name !== "ts" && (name !== "source" || !isText(value[name]))) return false;
  }
  return true;
}
