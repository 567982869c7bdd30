import type { Domain } from "../../contract/service/platforms.js";
import { METRIC_KEYS } from "../../contract/service/unified-record.js";
import type { ValueSpec } from "../mapping/form/value-spec.js";
import { doubtPrices } from "./doubt-prices.js";
import { HUNDREDTHS, TARGETS } from "./field-names.js";
import { WordFinder, wordsSpec } from "./find-words.js";
import { type GuessedId, guessId } from "./guess-id.js";
import { doubtLanguageNames, guessLanguage, languageField } from "./guess-language.js";
import { doubtOtherTexts, doubtWordless, isLong, longestList, wordsInstead } from "./guess-words.js";
import { readJsonCells } from "./json-cells.js";
import { furtherFields, type LeftOut } from "./left-out.js";
import { CREATED_NAMES, TIME_NAMES } from "./part-names.js";
import { likelyCurrency, PRICE_NUMBER } from "./price-form.js";
import { type Profile, profileRows, UNKNOWN } from "./profile.js";
import { doubtTelling, nearestFirst, takeAuthor, takerOf } from "./take-fields.js";
import { isRun, joinPieces, withoutMarks } from "./text-runs.js";
import { isEitherWay, isOfOthers } from "./time-of.js";
import { valueAt } from "./value-at.js";

/** Share of the rows that have a time of theirs, if any other row can have one. */
const MOST_ROWS = 0.95;
/** Share of the rows that have a long text, if lists are not looked into for one. */
const LONG_IN = 0.5;
/** Shortest name of a time that is also looked for at the end of a longer one: `review date`. */
const MIN_ENDING = 4;
/** The platform of a domain, until the user names another. */
const PLATFORM: Readonly<Record<Domain, string>> = {
  social: "forum",
  ecommerce: "global-marketplace",
  web: "global-news",
};

/** What the rows of one source become, and what is not sure. */
export interface GuessedSource {
  readonly platform: string;
  readonly lang: ValueSpec | undefined;
  readonly capturedAt: ValueSpec | undefined;
  readonly id: GuessedId;
  /** Fields whose texts are JSON that is read. */
  readonly parseJson: readonly string[];
  readonly fields: Readonly<Record<string, ValueSpec>>;
  readonly doubts: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

/** Guesses a record for the rows of one source, by the names and values of their fields. */
export function guessSource(given: readonly unknown[]): GuessedSource {
  const { rows: read, fields: parseJson } = readJsonCells(given);
  const { rows, names: inPieces } = joinPieces(read);
  const doubts: string[] = [];
  const profiles = profilesOf(rows, doubts);
  const id = guessId(profiles, rows.length);
  doubts.push(...id.doubts);
  // An address is what readers follow, and an id can be a hash of it.
  const used = new Set<Profile>(id.used.filter(({ coded, name }) => !coded || name.endsWith("id")));
  const take = takerOf(profiles, used);
  const captured = take(TIME_NAMES, ({ time }) => time !== undefined);
  const mayBeOfRow = ({ time, path }: Profile) => time !== undefined && !isOfOthers(path);
  const isOfMost = (profile: Profile) => mayBeOfRow(profile) && profile.filled >= MOST_ROWS;
  const created =
    take(CREATED_NAMES, (profile) => profile.depth === 1 && isOfMost(profile)) ??
    take(CREATED_NAMES, isOfMost) ??
    take(CREATED_NAMES, mayBeOfRow) ??
    take(CREATED_NAMES, ({ ago, path }) => ago && !isOfOthers(path)) ??
    otherTime(profiles, used, doubts);
  const author = takeAuthor(profiles, used);
  const lang = languageField(nearestFirst(profiles.filter((profile) => !used.has(profile))), rows);
  if (lang !== undefined) used.add(lang);
  else doubtLanguageNames(profiles, doubts);
  const finder = new WordFinder(profiles, used, rows, author, doubts);
  finder.takeNamed(take);
  const found = new Map<string, Profile>();
  for (const { field, names, fits } of TARGETS) {
    if (field === "title" || field === "text") continue;
    const profile = take(names, (each) => fits(each) && !each.ofPerson);
    if (profile !== undefined) found.set(field, profile);
  }
  finder.takeOthers(id.word);
  const leftOut: LeftOut[] = [...finder.leftOut];
  const texts = finder.words.get("text");
  const list = texts !== undefined ? undefined : longestList(profiles, used, rows);

  const domain = domainOf(found, author);
  const fields: Record<string, ValueSpec> = {};
  for (const [field, [first, ...others]] of finder.words)
    fields[field] = wordsSpec(field, first, others, inPieces, doubts);
  for (const [field, profile] of found) {
    const metric = field.startsWith("metrics.") ? field.slice("metrics.".length) : undefined;
    if (metric !== undefined && !(METRIC_KEYS[domain] as readonly string[]).includes(metric))
      used.delete(profile);
    else fields[field] = valueSpecOf(field, profile, doubts);
  }
  if (list !== undefined) {
    used.add(list);
    fields.text = { path: list.path, join: "\n" };
    doubts.push(`text: ${list.path} is a list of texts, joined`);
  }
  if (Object.keys(fields).length === 0) Object.assign(fields, wordsInstead(profiles, used, id.spec, doubts));
  const words = [...finder.words.values()].flat().map(({ path }) => path);
  const guessed = lang === undefined ? guessLanguage(rows, words) : undefined;
  if (fields["price.current"] !== undefined && fields["price.currency"] === undefined)
    fields["price.currency"] = currencyInstead(found.get("price.current")!, guessed?.spec, doubts);
  if (author !== undefined && domain === "social") {
    fields["author.uid_hash"] = valueAt(author, { author_hash: true });
    doubtTelling(author, profiles, rows, doubts);
  } else if (author !== undefined)
    leftOut.push({
      path: author.path,
      reason: `an author, whom only records of the domain social have (as a salted hash)`,
    });
  if (created !== undefined) fields["extra.published_at"] = valueAt(created, { time: created.time ?? "ago" });
  if (!found.has("price.current")) doubtPrices(profiles, used, rows, doubts);
  doubtOtherTexts(profiles, used, texts?.map(({ path }) => path) ?? [], doubts);
  const pieces = profiles.filter((profile) => !used.has(profile) && inPieces.has(profile.path));
  for (const { path } of pieces)
    leftOut.push({ path, reason: "a list in some rows and another value in others" });
  const further = furtherFields(
    profiles.filter((profile) => !used.has(profile) && !pieces.includes(profile)),
    fields,
  );
  Object.assign(fields, further.fields);
  leftOut.push(...further.leftOut);

  const platform = PLATFORM[domain];
  doubts.push(`platform: ${platform}, because the rows look like ${domain}; name the one that they are of`);
  const capturedAt = captureOf(captured, created, doubts);
  doubtWordless(rows, words, doubts);
  if (guessed?.doubt !== undefined) doubts.push(guessed.doubt);
  const language: ValueSpec | undefined =
    lang === undefined ? guessed?.spec : valueAt(lang, { language: true, default: "und" });
  return { platform, lang: language, capturedAt, id, parseJson, fields, doubts, leftOut };
}

/** A text that is a time in every row, whatever its name; and a word on names of times that no known format reads. */
function otherTime(profiles: readonly Profile[], used: Set<Profile>, doubts: string[]): Profile | undefined {
  const free = profiles.filter((profile) => !used.has(profile) && profile.filled > 0);
  const found = free.find(
    ({ kind, time, path }) => kind === "text" && time !== undefined && !isOfOthers(path),
  );
  if (found !== undefined) {
    used.add(found);
    doubts.push(
      `extra.published_at: ${found.path} is a time; nothing says that it is when the row was written`,
    );
    return found;
  }
  for (const { path, name, endings, time, kind, example } of free) {
    const isNamed = [name, ...endings].some(
      (each) => each.length >= MIN_ENDING && CREATED_NAMES.includes(each),
    );
    if (
      isNamed &&
      time === undefined &&
      kind === "text" &&
      !isOfOthers(path) &&
      /\d.*\d/.test(String(example))
    )
      doubts.push(
        `${path}: a time by its name, but in no one format known here (${JSON.stringify(example).slice(0, MAX_EXAMPLE)}); \`time\` may read it`,
      );
  }
  return undefined;
}

const MAX_EXAMPLE = 60;

function captureOf(
  captured: Profile | undefined,
  created: Profile | undefined,
  doubts: string[],
): ValueSpec | undefined {
  const at = captured ?? created;
  if (at?.time !== undefined && isEitherWay(at.time))
    doubts.push(`${at.path}: day and month may be the other way round`);
  if (at === undefined) {
    doubts.push("captured_at: no field is a time; give --captured-at");
    return undefined;
  }
  if (at.time === undefined) {
    doubts.push(
      `captured_at: ${at.path} is a time in words (${JSON.stringify(at.example)}), which counts from when it was fetched; give --captured-at`,
    );
    return undefined;
  }
  if (at.filled < 1) {
    doubts.push(`captured_at: ${at.path} is a time, but not in every row; give --captured-at`);
    return undefined;
  }
  if (captured === undefined) {
    doubts.push(
      `captured_at: ${at.path} is when it was written; give --captured-at if you know when it was fetched`,
    );
  }
  return valueAt(at, { time: at.time });
}

/**
 * What the rows' members have in common. Where no member is a long text, those of the first object of each list are looked at
 * too: rows of some documents hold their words a level further in.
 */
function profilesOf(rows: readonly unknown[], doubts: string[]): readonly Profile[] {
  const plain = profileRows(rows, false);
  if (plain.some((profile) => isLong(profile) && profile.filled >= LONG_IN)) return plain;
  const deep = withoutMarks(profileRows(rows, true));
  const hasWords = deep.some((profile) => profile.path.includes("[0]") && isLong(profile));
  if (!hasWords) return plain;
  const lists = new Set(
    deep.flatMap(({ path }) => (path.includes("[0]") ? [path.slice(0, path.indexOf("[0]"))] : [])),
  );
  for (const list of lists)
    if (!deep.some(({ path }) => path.startsWith(`${list}[0]`) && isRun(path)))
      doubts.push(
        `${list}: only the first object of this list is mapped; \`each\` makes a raw item of every one`,
      );
  return deep.filter(
    ({ path, mixed }) => mixed || !deep.some((other) => other.path.startsWith(`${path}[0]`)),
  );
}

/** The currency of prices, where no field names it: what their mark stands for. */
function currencyInstead({ path, price }: Profile, lang: ValueSpec | undefined, doubts: string[]): ValueSpec {
  if (price?.currency === undefined) {
    const value = likelyCurrency(languageOf(lang));
    doubts.push(`price.currency: no field names it; "${value}" is written, correct it`);
    return { value };
  }
  // Yen and yuan have one mark.
  const isYuan = price.currency === "JPY" && (path.includes("价") || languageOf(lang) === "zh");
  const currency = isYuan ? "CNY" : price.currency;
  doubts.push(`price.currency: ${currency}, by the mark in ${path}; correct it if another uses that mark`);
  return { value: currency };
}

/** The language of all rows, if it is one. */
function languageOf(lang: ValueSpec | undefined): string | undefined {
  return typeof lang === "object" && typeof lang.value === "string" ? lang.value : undefined;
}

function valueSpecOf(field: string, profile: Profile, doubts: string[]): ValueSpec {
  const { path, name, kind, counts, count, price } = profile;
  if (field === "price.current" && kind !== "number" && price !== undefined) {
    const { thousands, decimal } = price;
    if (price.isUnsure)
      doubts.push(`price.current: ${JSON.stringify(thousands)} in ${path} is taken for a mark of thousands`);
    return valueAt(profile, { match: PRICE_NUMBER, thousands, decimal });
  }
  if (field.startsWith("metrics.") && profile.hides)
    return valueAt({ path, absent: [...profile.absent, String(UNKNOWN)] });
  if (field.startsWith("metrics.") && count !== undefined) {
    doubts.push(
      `${field}: counts in ${path} are texts (${JSON.stringify(profile.example)}); those of another form have no value`,
    );
    return valueAt(profile, count);
  }
  if (field === "price.current" && counts && HUNDREDTHS.test(name)) {
    doubts.push(`price.current: ${path} counts hundredths, by its name; they are divided by 100`);
    return valueAt(profile, { multiply: 0.01, round: 2 });
  }
  return valueAt(profile);
}

function domainOf(found: ReadonlyMap<string, Profile>, author: Profile | undefined): Domain {
  if (["price.current", "metrics.sold", "metrics.reviews"].some((field) => found.has(field)))
    return "ecommerce";
  const social = ["metrics.likes", "metrics.comments", "metrics.shares", "metrics.plays", "metrics.views"];
  const isSocial = social.filter((field) => found.has(field));
  // Reviews are found helpful, too.
  const isReview = found.has("metrics.rating") && isSocial.every((field) => field === "metrics.likes");
  if (isReview) return "ecommerce";
  if (isSocial.length > 0) return "social";
  return author === undefined ? "web" : "social";
}
