import { parsePath, readPath } from "../values/path.js";
import { plainText } from "../values/plain-text.js";
import { WHOLE_NAMES } from "./field-names.js";
import { AUTHOR_NAMES } from "./part-names.js";
import type { Profile } from "./profile.js";

/** Shortest name that is also looked for at the end of a longer one: `customer review`. */
const MIN_ENDING = 4;
/** Fewest authors of several rows each that show that a name goes with the author. */
const AUTHORS_OF_SEVERAL = 2;

/** Takes the field of the first name that fits. */
export type Take = (
  names: readonly string[],
  fits: (profile: Profile) => boolean,
  anywhere?: boolean,
) => Profile | undefined;

/** Takes fields by their names, those nearest to the row first; a field is taken once. */
export function takerOf(profiles: readonly Profile[], used: Set<Profile>): Take {
  return (names, fits, anywhere = false) => {
    const free = freeOf(profiles, used, fits);
    const ways: ((profile: Profile, name: string) => boolean)[] = [
      (profile, name) => profile.name === name,
      (profile, name) => wholeName(profile) === name,
      (profile, name) =>
        name.length >= MIN_ENDING && !WHOLE_NAMES.has(name) && profile.endings.includes(name),
      (profile, name) => isUnspaced(name) && profile.name.endsWith(name),
      // `name.common` is a name too.
      (profile, name) => anywhere && new RegExp(`^${name}[.[]`, "i").test(profile.path),
    ];
    for (const way of ways) {
      const found = takeFirst(free, names, way, used);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** Words of scripts that put none between them: the title is in `笔记标题`. A `店铺名称` is no name of the row. */
const UNSPACED = /^(?!名称$)[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]{2,}$/u;

/** Whether a name is found at the end of a longer one without a mark between them. */
export function isUnspaced(name: string): boolean {
  return UNSPACED.test(name);
}

/** Fields that have values, are not taken and fit, those nearest to the row first. */
function freeOf(
  profiles: readonly Profile[],
  used: ReadonlySet<Profile>,
  fits: (profile: Profile) => boolean,
): readonly Profile[] {
  return nearestFirst(
    profiles.filter((profile) => !used.has(profile) && profile.filled > 0 && fits(profile)),
  );
}

/** Takes the first field of the first name that one has. */
function takeFirst(
  free: readonly Profile[],
  names: readonly string[],
  has: (profile: Profile, name: string) => boolean,
  used: Set<Profile>,
): Profile | undefined {
  for (const name of names) {
    const found = free.find((profile) => has(profile, name));
    if (found === undefined) continue;
    used.add(found);
    return found;
  }
  return undefined;
}

/** Fields by how far in they are. */
export function nearestFirst(profiles: readonly Profile[]): readonly Profile[] {
  return [...profiles].sort((a, b) => a.depth - b.depth);
}

/** The names of a path as one: `userid` of `user.id`. */
export function wholeName({ path }: Pick<Profile, "path">): string {
  return path
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, "");
}

/** Takes who wrote a row: an id of a person that is in as many rows as anything else that names one, else a usual name, else any. */
export function takeAuthor(profiles: readonly Profile[], used: Set<Profile>): Profile | undefined {
  const free = freeOf(profiles, used, ({ kind }) => kind === "text" || kind === "number");
  const isOf = (name: string) => (profile: Profile) => profile.name === name || wholeName(profile) === name;
  let named: Profile | undefined;
  for (const name of AUTHOR_NAMES) named ??= free.find(isOf(name));
  const fullest = [...free].sort((a, b) => b.filled - a.filled);
  const id = fullest.find(({ person }) => person === "id");
  const isBetter = id !== undefined && id.filled >= (named?.filled ?? 0);
  const found = isBetter ? id : (named ?? fullest.find(({ person }) => person === "name"));
  if (found !== undefined) used.add(found);
  return found;
}

/** Takes a field that few rows have, by its whole name. */
export function takeRare(
  profiles: readonly Profile[],
  used: Set<Profile>,
  names: readonly string[],
  mayBe: (profile: Profile) => boolean,
): Profile | undefined {
  return takeFirst(freeOf(profiles, used, mayBe), names, (profile, name) => profile.name === name, used);
}

/** Takes a field by its whole name that has something where another has nothing, if there are such rows. */
export function takeInstead(
  profiles: readonly Profile[],
  used: Set<Profile>,
  names: readonly string[],
  mayBe: (profile: Profile) => boolean,
  first: Profile,
  rows: readonly unknown[],
): Profile | undefined {
  const firstPath = parsePath(first.path, "guess");
  const without = rows.filter((row) => isEmpty(readPath(row, firstPath)));
  if (without.length === 0) return undefined;
  return takeRare(profiles, used, names, (profile) => {
    const path = parsePath(profile.path, "guess");
    return mayBe(profile) && without.some((row) => !isEmpty(readPath(row, path)));
  });
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** Whether a field says the same in all rows of an author, and something else of others: it is the author's. */
export function goesWith(
  author: Pick<Profile, "path">,
  field: Pick<Profile, "path">,
  rows: readonly unknown[],
): boolean {
  const authorPath = parsePath(author.path, "guess");
  const fieldPath = parsePath(field.path, "guess");
  const said = new Map<string, { readonly value: string; rows: number }>();
  for (const row of rows) {
    const who = readPath(row, authorPath);
    if (isEmpty(who)) continue;
    const value = String(readPath(row, fieldPath) ?? "");
    const known = said.get(String(who));
    if (known === undefined) said.set(String(who), { value, rows: 1 });
    else if (known.value !== value) return false;
    else known.rows += 1;
  }
  const several = [...said.values()].filter((one) => one.rows > 1 && one.value !== "");
  return several.length >= AUTHORS_OF_SEVERAL && new Set(several.map(({ value }) => value)).size > 1;
}

/** Shortest id or name that is looked for in other values. */
const MIN_TELLING = 4;

/** Says which addresses and ids of rows have the id or name of the author in them, who is no secret then. */
export function doubtTelling(
  author: Pick<Profile, "path">,
  profiles: readonly Profile[],
  rows: readonly unknown[],
  doubts: string[],
): void {
  const authorPath = parsePath(author.path, "guess");
  for (const { path, kind, coded, spaced, person, filled } of profiles) {
    if (kind !== "text" || person !== undefined || filled === 0 || (spaced && !coded)) continue;
    const fieldPath = parsePath(path, "guess");
    const pairs = rows
      .map((row) => [authorPath, fieldPath].map((each) => plainText(readPath(row, each) ?? "").toLowerCase()))
      .filter(([who = "", value]) => who.length >= MIN_TELLING && value !== "");
    const telling = pairs.filter(([who = "", value = ""]) => value.includes(who)).length;
    if (telling * 2 > Math.max(1, pairs.length))
      doubts.push(
        `${path}: ${author.path} stands in it, which tells who the author is in spite of the hash; leave it out, or take a part of it with \`match\``,
      );
  }
}
