import { INGEST_LIMITS } from "../defaults.js";
import { parseJson } from "../readers/json-text.js";

/** Words for those who write, post and buy. */
const PERSONS: ReadonlySet<string> = new Set(
  "user author commenter reviewer poster creator sender uploader customer owner".split(" "),
);
/** Words that stand for a person where more follows: `reason.by.handle`, `profile_name`. */
const AROUND: ReadonlySet<string> = new Set([
  ...PERSONS,
  ..."by profile host contributor recipient member subscriber follower".split(" "),
]);
/** Words for those who send and act, where an id goes with one of them: a message is from somebody, a flight from somewhere. */
const ACTORS: ReadonlySet<string> = new Set("from actor member members".split(" "));
/** Last words of fields that say who somebody is, after a word for a person. */
const IDS: ReadonlySet<string> = new Set("id uid uuid guid did key".split(" "));
/** A last word that is an id of some service: `author.steamid`. */
const OWN_ID = /^(?!paid|unpaid|prepaid|valid|invalid|bid|android|void|grid)\p{L}{2,}id$/u;
const NAMES: ReadonlySet<string> = new Set("name nick handle login slug".split(" "));
const ADDRESSES: ReadonlySet<string> = new Set(
  "url link uri href permalink avatar image img photo picture pic thumbnail icon".split(" "),
);
/** Ends of names that are a person's without such a word. */
const OWN_NAMES =
  /(?:^|\s)(?:user ?name|screen ?name|nick ?name|display ?name|real ?name|first ?name|last ?name|user posted|(?:posted|submitted|uploaded) by)$/;
/** A picture of the one that a row is from, without such a word. */
const OWN_PICTURES = /(?:^|\s)(?:avatar|profile (?:image|img|photo|picture|pic))(?: (?:url|link|uri|src))?$/;
/** The same in other languages, at the end of a name: a name of somebody, an id, a page or picture. */
const OTHER_NAMES = new RegExp(
  "(?:用户名|用户名称|昵称|网名|作者|作者名|作者名称|发布者|发布人|博主|up主|账号|帐号|艾特用户|" +
    "작성자|작성자명|닉네임|사용자|사용자명|글쓴이|아이디|회원명|投稿者|投稿者名|ユーザー|ユーザー名|ニックネーム|レビュアー|作成者|" +
    "(?:^|\\s)(?:автор|логин|ник|никнейм|пользователь|имя пользователя|autora?|auteur|usuari[oa]|usuário|utilisateur|benutzer|" +
    "benutzername|nutzer|nutzername|verfasser|penulis|pengguna|nama pengguna|người dùng|tác giả|tên người dùng|kullanıcı|" +
    "kullanıcı adı|yazar|المستخدم|اسم المستخدم|الكاتب|المؤلف|ผู้ใช้|ชื่อผู้ใช้|ผู้เขียน|उपयोगकर्ता|लेखक))$",
  "u",
);
const OTHER_IDS =
  /(?:用户|作者|博主|发布者|账号|会员|작성자|사용자|회원|ユーザー|投稿者)(?:u?id|编号|아이디)$|(?:抖音|快手|小红书|微信|微博|qq)号$/u;
const OTHER_ADDRESSES = /(?:头像|(?:用户|作者|博主|个人)(?:主页|链接|主页链接|url)|아바타|アイコン)$/u;
/** Lists of those whom a row is to, or who answered it. */
const LISTS =
  /(?:^|\s)(?:mentions|likers|(?:tagged|mentioned|reply|replying) (?:users|people|accounts)(?: in \p{L}+)?)$/u;
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
 * @param actors words that stand for a person in these rows, as {@link actorsOf} finds them
 */
export function personPart(
  words: readonly string[],
  actors: ReadonlySet<string> = NONE,
): PersonPart | undefined {
  // A size of a picture is the last: `image_72`.
  const plain = /^\d+$/.test(words.at(-1) ?? "") ? words.slice(0, -1) : words;
  const own = FORMS.has(plain.at(-1) ?? "") ? plain.slice(0, -1) : plain;
  const last = own.at(-1);
  if (last === undefined) return undefined;
  if (OWN_NAMES.test(own.join(" "))) return "name";
  if (OWN_PICTURES.test(own.join(" "))) return "address";
  if (OTHER_IDS.test(last)) return "id";
  if (OTHER_ADDRESSES.test(last)) return "address";
  if (OTHER_NAMES.test(own.join(" "))) return "name";
  if (PERSONS.has(last) || actors.has(last)) return own === plain ? "name" : "id";
  if (!own.slice(0, -1).some((word) => AROUND.has(word) || actors.has(word))) return undefined;
  if (IDS.has(last) || OWN_ID.test(last)) return "id";
  if (NAMES.has(last)) return "name";
  return ADDRESSES.has(last) ? "address" : undefined;
}

const NONE: ReadonlySet<string> = new Set();

/** Words that stand for a person in rows of such fields, since the fields of an id and of a name go together: `from` and `from_id`. */
export function actorsOf(fields: readonly (readonly string[])[]): ReadonlySet<string> {
  const names = new Set(fields.map((words) => words.join(" ")));
  const isPair = [...ACTORS].some((actor) => names.has(actor) && names.has(`${actor} id`));
  return isPair ? ACTORS : NONE;
}

/** What there is of a person beside the name: `authorStats`. */
const ABOUT: ReadonlySet<string> = new Set("stats info profile details meta".split(" "));

/** Whether a member is one of an object about a person: `author.num_reviews`, `authorStats.heartCount`. */
export function isOfPerson(path: string, wordsOf: (path: string) => readonly string[]): boolean {
  return path
    .split(".")
    .slice(0, -1)
    .some((part) => {
      const [before = "", last = ""] = wordsOf(part).slice(-2);
      return PERSONS.has(last === "" || ABOUT.has(last) ? before : last);
    });
}

/** Whether a field is a list of people, by its name. */
export function isListOfPeople(words: readonly string[], values: readonly unknown[]): boolean {
  return LISTS.test(words.join(" ")) && values.some((value) => Array.isArray(value));
}

/** Characters of JSON of a field that are looked at. */
const MAX_CHARS = 4_000_000;

/** Where texts of JSON tell of a person: the path in one of a name, an id or an address that is not empty; undefined where none does. */
export function personInTexts(
  texts: readonly string[],
  wordsOf: (path: string) => readonly string[],
): string | undefined {
  let chars = 0;
  for (const text of texts) {
    if (!/^\s*[[{]/.test(text)) continue;
    chars += text.length;
    const found = chars > MAX_CHARS ? undefined : personInJson(text, wordsOf);
    if (found !== undefined) return found;
  }
  return undefined;
}

function personInJson(text: string, wordsOf: (path: string) => readonly string[]): string | undefined {
  let document: unknown;
  try {
    document = parseJson(text, INGEST_LIMITS.maxDepth);
  } catch {
    return undefined; // a text that only begins like JSON, or is nested so deep that no mapping can read it
  }
  const find = (value: unknown, path: string): string | undefined => {
    if (value === null || value === "" || typeof value === "boolean") return undefined;
    if (typeof value !== "object") return personPart(wordsOf(path)) === undefined ? undefined : path;
    for (const [key, member] of Object.entries(value)) {
      const inner = find(member, Array.isArray(value) ? path : path === "" ? key : `${path}.${key}`);
      if (inner !== undefined) return inner;
    }
    return undefined;
  };
  return find(document, "");
}

/** Whether values are addresses of people's pages, which tell who they are: most texts, or some of the texts of lists. */
export function arePages(values: readonly unknown[]): boolean {
  const isPage = (value: unknown) => typeof value === "string" && PAGE.test(value);
  const lists = values.filter((value) => Array.isArray(value));
  if (lists.some((list) => list.some(isPage))) return true;
  return values.length > 0 && values.filter(isPage).length * 2 > values.length;
}
