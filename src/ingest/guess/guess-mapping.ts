import { basename } from "node:path";
import type { Domain } from "../../contract/service/platforms.js";
import { METRIC_KEYS } from "../../contract/service/unified-record.js";
import { compileMapping } from "../mapping/compile.js";
import type { MappingDocument } from "../mapping/schema.js";
import type { ValueSpec } from "../mapping/value-spec.js";
import { AUTHOR_NAMES, CREATED_NAMES, ID_NAMES, LANGUAGE_NAMES, TARGETS, TIME_NAMES } from "./field-names.js";
import { type Profile, profileRows } from "./profile.js";
import { sampleRows } from "./sample-rows.js";

/** Further fields that a guess keeps under `extra`. */
const MAX_EXTRA = 16;
/** Shortest name that is also looked for at the end of a longer one: `customer review`. */
const MIN_ENDING = 4;
/** Texts of at least this mean length, in characters, are taken for the words of a row. */
const LONG_TEXT = 40;
/** Where there are none, of this. */
const SHORT_TEXT = 16;
/** The first column of a table without a header; its values are ids where each occurs once and none is long. */
const NAMELESS = /^column_1$/;
const LONG_ID = 32;
/** The platform of a domain, until the user names another. */
const PLATFORM: Readonly<Record<Domain, string>> = {
  social: "forum",
  ecommerce: "global-marketplace",
  web: "global-news",
};

/** A mapping to start from. */
export interface GuessedMapping {
  readonly mapping: MappingDocument;
  /** What to check before using it. */
  readonly doubts: readonly string[];
}

/**
 * Looks at the first rows of a file of any shape and writes a mapping to start from. Names and values of the fields decide; what is
 * not sure is listed. The mapping is valid: it can be used, and edited.
 * @throws IngestError for a file that cannot be read
 */
export async function guessMapping(path: string, signal?: AbortSignal): Promise<GuessedMapping> {
  const { rows, read, files, doubts: ofFormat } = await sampleRows(path, signal);
  const doubts = [...ofFormat];
  const profiles = profilesOf(rows, doubts);
  const used = new Set<Profile>();
  const take = (names: readonly string[], fits: (profile: Profile) => boolean): Profile | undefined => {
    const free = profiles.filter((profile) => !used.has(profile) && fits(profile));
    const ways: ((profile: Profile, name: string) => boolean)[] = [
      (profile, name) => profile.name === name,
      (profile, name) => compact(profile.path) === name,
      (profile, name) => name.length >= MIN_ENDING && profile.endings.includes(name),
    ];
    for (const way of ways) {
      for (const name of names) {
        const found = free.find((profile) => way(profile, name));
        if (found === undefined) continue;
        used.add(found);
        return found;
      }
    }
    return undefined;
  };

  const id =
    take(ID_NAMES, ({ unique, kind, filled }) => unique && filled === 1 && kind !== "list") ??
    profiles.find(
      ({ path, unique, length }) => NAMELESS.test(path) && unique && length > 0 && length <= LONG_ID,
    );
  if (id !== undefined) used.add(id);
  const captured = take(TIME_NAMES, ({ time }) => time !== undefined);
  const created = take(CREATED_NAMES, ({ time }) => time !== undefined);
  const author = take(AUTHOR_NAMES, ({ kind }) => kind === "text" || kind === "number");
  const lang = take(LANGUAGE_NAMES, ({ kind, length }) => kind === "text" && length <= 12);
  const found = new Map<string, Profile>();
  for (const { field, names, fits } of TARGETS) {
    const profile = take(names, fits);
    if (profile !== undefined) found.set(field, profile);
  }
  if (!found.has("text")) {
    const least = found.has("title") ? LONG_TEXT : SHORT_TEXT;
    const longest = profiles
      .filter(
        (profile) =>
          !used.has(profile) &&
          profile.kind === "text" &&
          profile.time === undefined &&
          !profile.coded &&
          profile.length >= least,
      )
      .sort((a, b) => b.length - a.length)[0];
    if (longest !== undefined && longest.length < LONG_TEXT) doubts.push(`text: ${longest.path} is short`);
    if (longest !== undefined) {
      used.add(longest);
      found.set("text", longest);
      doubts.push(`text: ${longest.path} has the longest texts`);
    } else if (!found.has("title"))
      doubts.push("text and title: no field looks like words; name one, or search will find nothing");
  }

  const domain = domainOf(found, author);
  const fields: Record<string, ValueSpec> = {};
  for (const [field, profile] of found) {
    const metric = field.startsWith("metrics.") ? field.slice("metrics.".length) : undefined;
    if (metric !== undefined && !(METRIC_KEYS[domain] as readonly string[]).includes(metric))
      used.delete(profile);
    else fields[field] = valueSpecOf(profile);
  }
  if (fields["price.current"] !== undefined && fields["price.currency"] === undefined) {
    fields["price.currency"] = { value: "USD" };
    doubts.push('price.currency: no field names it; "USD" is written, correct it');
  }
  if (author !== undefined && domain === "social")
    fields["author.uid_hash"] = { path: author.path, author_hash: true };
  if (created !== undefined) fields["extra.published_at"] = { path: created.path, time: created.time! };
  for (const profile of profiles.filter((each) => !used.has(each) && isKept(each)).slice(0, MAX_EXTRA)) {
    const name = `extra.${profile.path.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "") || "field"}`;
    fields[name] ??= profile.kind === "list" ? { path: profile.path, type: "list" } : profile.path;
  }

  const platform = PLATFORM[domain];
  doubts.push(`platform: ${platform}, because the rows look like ${domain}; name the one that they are of`);
  if (id === undefined) doubts.push("id: no field is unique in every row; the hash of the record is used");
  const at = captured ?? created;
  if (at === undefined) doubts.push("captured_at: no field is a time; give --captured-at");
  else if (captured === undefined) {
    doubts.push(
      `captured_at: ${at.path} is when it was written; give --captured-at if you know when it was fetched`,
    );
  }
  if (at?.time === "dd/MM/yyyy") doubts.push(`${at.path}: day and month may be the other way round`);
  doubts.push('licence: "unknown" is written; say what the data may be used for');

  const words = ["title", "text"].flatMap((field) => (found.has(field) ? [found.get(field)!.path] : []));
  const language: ValueSpec | undefined =
    lang !== undefined
      ? { path: lang.path, language: true, default: "und" }
      : words.length > 0
        ? { detect: words }
        : undefined;
  const mapping: MappingDocument = {
    mapping: 1,
    name: nameOf(path),
    info: { title: titleOf(path), licence: "unknown" },
    sources: [{ name: "rows", files: [files], ...(read === undefined ? {} : { read }) }],
    defaults: {
      platform,
      lang: language,
      captured_at: at === undefined ? undefined : { path: at.path, time: at.time! },
    },
    rules: [{ from: "rows", record: { ...(id === undefined ? {} : { id: id.path }), fields } }],
  };
  const plain = JSON.parse(JSON.stringify(mapping)) as MappingDocument;
  compileMapping(plain);
  return { mapping: plain, doubts };
}

/**
 * What the rows' members have in common. Where no member is a long text, those of the first object of each list are looked at
 * too: rows of some documents hold their words a level further in.
 */
function profilesOf(rows: readonly unknown[], doubts: string[]): readonly Profile[] {
  const filled = (lists: boolean) => profileRows(rows, lists).filter(({ filled }) => filled > 0);
  const plain = filled(false);
  if (plain.some(({ kind, length, coded }) => kind === "text" && !coded && length >= LONG_TEXT)) return plain;
  const deep = filled(true);
  const hasWords = deep.some(
    ({ path, kind, length, coded }) =>
      path.includes("[0]") && kind === "text" && !coded && length >= LONG_TEXT,
  );
  if (!hasWords) return plain;
  const lists = new Set(
    deep.flatMap(({ path }) => (path.includes("[0]") ? [path.slice(0, path.indexOf("[0]"))] : [])),
  );
  for (const list of lists)
    doubts.push(
      `${list}: only the first object of this list is mapped; \`each\` makes a raw item of every one`,
    );
  return deep;
}

function valueSpecOf({ path, html, kind }: Profile): ValueSpec {
  return html !== undefined && kind === "text" ? { path, html } : path;
}

function domainOf(found: ReadonlyMap<string, Profile>, author: Profile | undefined): Domain {
  if (["price.current", "metrics.sold", "metrics.reviews"].some((field) => found.has(field)))
    return "ecommerce";
  const social = ["metrics.likes", "metrics.comments", "metrics.shares", "metrics.plays", "metrics.views"];
  if (social.some((field) => found.has(field))) return "social";
  if (found.has("metrics.rating")) return "ecommerce";
  return author === undefined ? "web" : "social";
}

/** Whether `extra` can hold it: a scalar, or a list of texts. */
function isKept({ kind, texts }: Profile): boolean {
  return kind === "text" || kind === "number" || kind === "flag" || (kind === "list" && texts);
}

function compact(path: string): string {
  return path.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

function titleOf(path: string): string {
  return basename(path)
    .replace(/\.gz$/i, "")
    .replace(/\.[A-Za-z0-9]+$/, "");
}

function nameOf(path: string): string {
  const name = titleOf(path)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "")
    .slice(0, 64);
  return name === "" ? "my-data" : name;
}
