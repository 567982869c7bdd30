/** Words for those who write, post and buy. */
const PERSONS: ReadonlySet<string> = new Set(
  "user author commenter reviewer poster creator sender uploader customer owner".split(" "),
);
/** Last words of fields that say who somebody is, after a word for a person. */
const IDS: ReadonlySet<string> = new Set("id uid uuid guid did key".split(" "));
const NAMES: ReadonlySet<string> = new Set("name nick handle login slug".split(" "));
const ADDRESSES: ReadonlySet<string> = new Set(
  "url link uri href permalink avatar image img photo picture pic thumbnail icon".split(" "),
);
/** Ends of names that are a person's without such a word. */
const OWN_NAMES =
  /(?:^|\s)(?:user ?name|screen ?name|nick ?name|display ?name|real ?name|first ?name|last ?name|user posted|(?:posted|submitted|uploaded) by)$/;
/** A picture of the one that a row is from, without such a word. */
const OWN_PICTURES = /(?:^|\s)(?:avatar|profile (?:image|img|photo|picture|pic))(?: (?:url|link|uri|src))?$/;
/** Addresses of the pages of people on sites that anybody writes on: `https://a.example/users/ann`, `https://a.example/@ann`. */
const PAGE = /^https?:\/\/[^/\s]+\/(?:(?:users?|people|profiles?|u)\/|@)[^/?#\s]+(?:\/followers)?\/?$/;
/** Last words that say only how the value is written. */
const FORMS: ReadonlySet<string> = new Set(["value", "str", "hash", "https", "hd"]);

/** What of a person a field tells. */
export type PersonPart = "id" | "name" | "address";

/**
 * What of the person who wrote a row, or of another, a field tells by its name; undefined for another field. `user_id`, `author.name`,
 * `commenterUrl`, `post_user`.
 * @param words the words of the field's path, in lower case
 */
export function personPart(words: readonly string[]): PersonPart | undefined {
  const own = FORMS.has(words.at(-1) ?? "") ? words.slice(0, -1) : words;
  const last = own.at(-1);
  if (last === undefined) return undefined;
  if (OWN_NAMES.test(own.join(" "))) return "name";
  if (OWN_PICTURES.test(own.join(" "))) return "address";
  if (PERSONS.has(last)) return own === words ? "name" : "id";
  if (!own.slice(0, -1).some((word) => PERSONS.has(word))) return undefined;
  if (IDS.has(last)) return "id";
  if (NAMES.has(last)) return "name";
  return ADDRESSES.has(last) ? "address" : undefined;
}

/** Whether values are addresses of people's pages, which tell who they are: most texts, or some of the texts of lists. */
export function arePages(values: readonly unknown[]): boolean {
  const isPage = (value: unknown) => typeof value === "string" && PAGE.test(value);
  const lists = values.filter((value) => Array.isArray(value));
  if (lists.some((list) => list.some(isPage))) return true;
  return values.length > 0 && values.filter(isPage).length * 2 > values.length;
}
