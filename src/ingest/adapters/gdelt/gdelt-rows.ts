import { payloadId } from "../../../slice/record-hash.js";
import { FieldError } from "../../values/field-error.js";
import { toLanguageTag } from "../../values/language/language-code.js";
import { Fields } from "../row-fields.js";
import { headlineOf } from "./headline.js";

const STAMPS = ["yyyyMMddHHmmss", "yyyyMMdd", "epoch_ns"];
const MOST_THEMES = 40;
const MOST_ENTITIES = 60;

/** An article of the Global Knowledge Graph, of format 1 or 2. */
export interface GdeltArticle {
  readonly id: string;
  readonly url: string;
  readonly urls: readonly string[];
  readonly outlet: string | undefined;
  readonly lang: string;
  readonly capturedAt: string;
  readonly publishedAt: string | undefined;
  readonly title: string | undefined;
  readonly text: string | undefined;
  readonly tone: number;
  readonly words: number | undefined;
  readonly persons: readonly string[];
  readonly organisations: readonly string[];
  readonly locations: readonly string[];
  readonly themes: readonly string[];
  readonly image: string | undefined;
}

/** The row with lower-case names: the English and the translated stream differ in case. */
function lowerCased(value: unknown): Fields {
  const row = new Fields(value).value("$") as Readonly<Record<string, unknown>>;
  return new Fields(
    Object.fromEntries(Object.entries(row).map(([key, member]) => [key.toLowerCase(), member])),
  );
}

function parts(text: string | undefined, separator = ";"): string[] {
  const list = (text ?? "").split(separator).map((part) => part.trim());
  return [...new Set(list.filter((part) => part !== ""))];
}

/** Names from a list of `Name,offset`, else from the plain list. */
function names(fields: Fields, withOffsets: string, plain: string): string[] {
  const placed = parts(fields.text(withOffsets)).map((part) => part.replace(/,\d+$/, ""));
  return placed.length > 0 ? [...new Set(placed)] : parts(fields.text(plain));
}

/** Place names from `type#name#country#…`. */
function places(text: string | undefined): string[] {
  return [...new Set(parts(text).flatMap((part) => part.split("#")[1]?.trim() || []))];
}

function stamp(fields: Fields, path: string): string {
  const at = fields.time(path, STAMPS);
  if (at === undefined) throw new FieldError(path, "is missing");
  return at;
}

/** Language from `srclc:fra;eng:…`, the note on translated articles; an article without it is English. */
function languageOf(note: string | undefined): string {
  const code = /srclc:([a-z]{2,3})/.exec(note ?? "")?.[1];
  return code === undefined ? "en" : (toLanguageTag(code) ?? "und");
}

/** Quotations from `offset|length|verb|words`, joined by `#`. */
function quotations(text: string | undefined): string | undefined {
  const quotes = parts(text, "#").flatMap((quote) => quote.split("|").slice(3).join("|").trim() || []);
  return quotes.length === 0 ? undefined : quotes.join("\n");
}

function tones(fields: Fields, path: string): { tone: number; words: number | undefined } {
  const [tone, , , , , , words] = fields.need(path).split(",").map(Number);
  if (!Number.isFinite(tone)) throw new FieldError(path, "does not begin with a number");
  return { tone: tone!, words: Number.isSafeInteger(words) ? words : undefined };
}

/** Reads an article of GKG 2, from the English or the translated stream. @throws FieldError */
export function readGkg2(value: unknown): GdeltArticle {
  const fields = lowerCased(value);
  const url = fields.need("documentidentifier");
  const published = /<PAGE_PRECISEPUBTIMESTAMP>(\d{14})</.exec(fields.text("extras") ?? "")?.[1];
  return {
    id: fields.need("gkgrecordid"),
    url,
    urls: [url],
    outlet: fields.text("sourcecommonname"),
    lang: languageOf(fields.text("translationinfo")),
    capturedAt: stamp(fields, "date"),
    publishedAt: published && new Fields({ published }).time("published", STAMPS),
    title: headlineOf(url),
    text: quotations(fields.text("quotations")),
    ...tones(fields, "v2tone"),
    persons: names(fields, "v2persons", "persons"),
    organisations: names(fields, "v2organizations", "organizations"),
    locations: places(fields.text("v2locations", "locations")),
    themes: parts(fields.text("themes")).slice(0, MOST_THEMES),
    image: fields.text("sharingimage"),
  };
}

/** Reads an article of GKG 1, or several with the same text. It has the day only. @throws FieldError */
export function readGkg1(value: unknown): GdeltArticle {
  const fields = lowerCased(value);
  const urls = parts(fields.need("sourceurls"), "<UDIV>");
  const capturedAt = stamp(fields, "date");
  return {
    id: payloadId(urls),
    url: urls[0]!,
    urls,
    outlet: parts(fields.text("sources"))[0],
    lang: "en",
    capturedAt,
    publishedAt: capturedAt,
    title: urls.map(headlineOf).find((title) => title !== undefined),
    text: undefined,
    ...tones(fields, "tone"),
    persons: parts(fields.text("persons")),
    organisations: parts(fields.text("organizations")),
    locations: places(fields.text("locations")),
    themes: parts(fields.text("themes")).slice(0, MOST_THEMES),
    image: undefined,
  };
}

/** Persons, organisations and places named in an article, distinct ignoring case. */
export function entitiesOf({ persons, organisations, locations }: GdeltArticle): string[] {
  const byLowerCase = new Map<string, string>();
  for (const name of [...persons, ...organisations, ...locations]) {
    const key = name.toLowerCase();
    if (!byLowerCase.has(key)) byLowerCase.set(key, name);
  }
  return [...byLowerCase.values()].slice(0, MOST_ENTITIES);
}

/** An event of the event table. */
export interface GdeltEvent {
  readonly id: string;
  readonly capturedAt: string;
  readonly happenedAt: string;
  readonly mentions: number;
  readonly data: Readonly<Record<string, unknown>>;
}

function actor(fields: Fields, prefix: "actor1" | "actor2"): Readonly<Record<string, string>> | undefined {
  const members = {
    code: fields.text(`${prefix}code`),
    name: fields.text(`${prefix}name`),
    country: fields.text(`${prefix}countrycode`),
  };
  const present = Object.entries(members).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return present.length === 0 ? undefined : Object.fromEntries(present);
}

/** Reads a row of events. The day is written as `yyyyMMdd` or as nanoseconds since 1970. @throws FieldError */
export function readEvent(value: unknown): GdeltEvent {
  const fields = lowerCased(value);
  const id = fields.need("globaleventid");
  const happenedAt = stamp(fields, "sqldate");
  const mentions = fields.count("nummentions") ?? 0;
  const location = {
    name: fields.text("actiongeo_fullname"),
    country: fields.text("actiongeo_countrycode"),
    lat: fields.number("actiongeo_lat"),
    lon: fields.number("actiongeo_long"),
  };
  return {
    id,
    capturedAt: stamp(fields, "dateadded"),
    happenedAt,
    mentions,
    data: {
      id,
      date: happenedAt.slice(0, 10),
      code: fields.need("eventcode"),
      description: fields.text("cameocodedescription"),
      actors: [actor(fields, "actor1"), actor(fields, "actor2")].filter((one) => one !== undefined),
      quad_class: fields.count("quadclass"),
      goldstein: fields.number("goldsteinscale"),
      tone: fields.number("avgtone"),
      mentions,
      sources: fields.count("numsources"),
      articles: fields.count("numarticles"),
      location: location.name === undefined ? undefined : location,
      url: fields.text("sourceurl"),
    },
  };
}

/** A mention of an event in an article. */
export interface GdeltMention {
  readonly id: string;
  readonly eventId: string;
  readonly lang: string;
  readonly mentionedAt: string;
  readonly confidence: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Reads a row of mentions. @throws FieldError */
export function readMention(value: unknown): GdeltMention {
  const fields = lowerCased(value);
  const eventId = fields.need("globaleventid");
  const url = fields.need("mentionidentifier");
  const sentence = fields.count("sentenceid");
  const mentionedAt = stamp(fields, "mentiontimedate");
  const id = `${eventId}:${payloadId([url, sentence ?? null]).slice(0, 12)}`;
  const confidence = fields.number("confidence");
  return {
    id,
    eventId,
    lang: languageOf(fields.text("mentiondoctranslationinfo")),
    mentionedAt,
    confidence: confidence ?? 0,
    data: {
      id,
      event_id: eventId,
      mentioned_at: mentionedAt,
      outlet: fields.text("mentionsourcename"),
      url,
      sentence,
      confidence,
      tone: fields.number("mentiondoctone"),
      words: fields.count("mentiondoclen"),
    },
  };
}
