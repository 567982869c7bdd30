import type { z } from "zod";
import { ownMember } from "../../contract/own-member.js";
import { Extra } from "../../contract/service/unified-record.js";
import type { ValueSpec } from "../mapping/form/value-spec.js";
import { parsePath } from "../values/path.js";
import { isListOfPeople, type PersonPart } from "./person-field.js";
import { type Profile, wordsOf } from "./profile.js";
import { valueAt } from "./value-at.js";

/** Further fields that a guess keeps under `extra`. */
const MAX_EXTRA = 64;
/** Depth from which further fields give way to nearer ones. */
const NEAR = 4;

/** A field that a guess leaves out, and why. */
export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

/** Why `extra` cannot or should not hold a field; undefined where it can. */
function whyNot({
  kind,
  filled,
  objects,
  plain,
  mixed,
  nulls,
  emails,
  phones,
  cards,
  addresses,
  person,
  personIn,
}: Profile): string | undefined {
  if (filled === 0) return objects > 0 ? undefined : "empty in every row looked at";
  if (kind === "object") return "an object of which only the members near the row are mapped";
  if (objects > 0) return "an object in some rows and none in others; its members are mapped";
  if (kind === "list" && mixed) return "a list in some rows and another value in others";
  if (kind === "list" && nulls) return 'a list with null in it: `"type": "list"` leaves that out';
  if (kind === "list" && !plain) return "a list of objects or lists: `each` makes a raw item of every one";
  if (phones) return "phone numbers, which are personal data; name it if you may keep them";
  if (emails) return "e-mail addresses, which are personal data; name it if you may keep them";
  if (cards) return "numbers of payment cards, which are personal data; name it if you may keep them";
  if (addresses) return "IP addresses, which are personal data; name it if you may keep them";
  if (person !== undefined && kind !== "flag") return PERSON[person];
  if (personIn !== undefined)
    return `JSON that tells of a person (${personIn}), which is personal data; name it if you may keep it`;
  return undefined;
}

/** Why a field that tells who somebody is is left out. */
const PERSON: Readonly<Record<PersonPart, string>> = {
  id: "a person's id, which is personal data, and would undo the hash of an author; name it if you may keep it",
  name: "a person's name, which is personal data; name it if you may keep it",
  address: "a person's page or picture, which is personal data; name it if you may keep it",
};

/** The number of a member in the name of a column of a flattened list: `hashtags/0`, `images.1.url`, `tags[2]`. */
const MEMBER_NUMBER = /[/.](\d+)(?=[/.]|$)|\[(\d+)\]/g;

/** Fields of which those that are columns of one flattened list are one field, a list, in the place of its first column. */
function withLists(profiles: readonly Profile[], specs: Map<Profile, ValueSpec>): readonly Profile[] {
  const columns = new Map<string, { readonly profile: Profile; readonly at: readonly number[] }[]>();
  for (const profile of profiles) {
    const { steps } = parsePath(profile.path, "guess");
    const [step] = steps;
    if (steps.length !== 1 || step === undefined || !("member" in step)) continue;
    const at = [...step.member.matchAll(MEMBER_NUMBER)].map(([, after, inside]) => Number(after ?? inside));
    const list = step.member.replace(MEMBER_NUMBER, "");
    if (at.length > 0) columns.set(list, [...(columns.get(list) ?? []), { profile, at }]);
  }
  const instead = new Map<Profile, Profile | undefined>();
  for (const [path, members] of columns) {
    const profiles = members.map(({ profile }) => profile);
    if (members.length === 1 || profiles.some(({ kind }) => kind === "list" || kind === "object")) continue;
    const list = listOf(path, profiles);
    const inOrder = members
      .toSorted((a, b) => firstDifference(a.at, b.at))
      .map(({ profile }) => profile.path);
    const spec: ValueSpec = { list: inOrder, type: "list" };
    specs.set(list, list.absent.length > 0 ? { ...spec, absent: list.absent.slice() } : spec);
    for (const profile of profiles) instead.set(profile, profile === profiles[0] ? list : undefined);
  }
  return profiles.flatMap((profile) => (instead.has(profile) ? (instead.get(profile) ?? []) : [profile]));
}

/** What the columns of a flattened list are together. What is personal in one may be so in the others. */
function listOf(path: string, columns: readonly Profile[]): Profile {
  const filled = columns.filter((column) => column.filled > 0);
  const [first = columns[0]!] = filled;
  const some = (has: (column: Profile) => boolean) => filled.some(has);
  const example = [first.example];
  return {
    ...first,
    path,
    kind: "list",
    plain: true,
    example,
    filled: Math.max(...columns.map((column) => column.filled)),
    absent: [...new Set(filled.flatMap(({ absent }) => absent))],
    emails: some(({ emails }) => emails),
    phones: some(({ phones }) => phones),
    cards: some(({ cards }) => cards),
    addresses: some(({ addresses }) => addresses),
    person: first.person ?? (isListOfPeople(wordsOf(path), [example]) ? "id" : undefined),
    personIn: filled.find(({ personIn }) => personIn !== undefined)?.personIn,
  };
}

function firstDifference(a: readonly number[], b: readonly number[]): number {
  return a.map((number, i) => number - b[i]!).find((difference) => difference !== 0) ?? 0;
}

/** Puts what is left of a row's fields under `extra`, and says what is not put there. */
export function furtherFields(
  given: readonly Profile[],
  taken: Readonly<Record<string, ValueSpec>>,
): { readonly fields: Readonly<Record<string, ValueSpec>>; readonly leftOut: readonly LeftOut[] } {
  const fields: Record<string, ValueSpec> = {};
  const leftOut: LeftOut[] = [];
  const lists = new Map<Profile, ValueSpec>();
  const profiles = withLists(given, lists);
  const fullest = profiles.filter((profile) => profile.filled > 0 && whyNot(profile) === undefined);
  const kept = new Set(
    fullest
      .sort((a, b) => b.filled - a.filled || Math.max(a.depth, NEAR) - Math.max(b.depth, NEAR))
      .slice(0, MAX_EXTRA),
  );
  for (const profile of profiles) {
    const rest = profile.filled > 0 && !kept.has(profile);
    const reason =
      whyNot(profile) ??
      (rest ? `over ${MAX_EXTRA} further fields, of which those that most rows have are kept` : undefined);
    if (reason !== undefined) leftOut.push({ path: profile.path, reason });
    else if (profile.filled > 0)
      fields[nameFor(profile, { ...taken, ...fields })] = lists.get(profile) ?? valueAt(profile);
  }
  return { fields, leftOut };
}

/** A name of its own under `extra`, that is none of the service's with another type. */
function nameFor({ path, example, kind }: Profile, taken: Readonly<Record<string, unknown>>): string {
  const plain =
    path
      .replace(/^([^[\].]+)\[0\]$/, "$1")
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, "_")
      .replace(/^_+|_+$/g, "") || "field";
  const fits = (name: string) => {
    const known = ownMember<z.ZodType>(Extra.shape, name);
    // A text field of the service takes any number too: it is written as text.
    return (
      known === undefined ||
      known.safeParse(example).success ||
      (kind !== "list" && known.safeParse(String(example)).success)
    );
  };
  for (let n = 1; ; n++) {
    const name = n === 1 ? plain : `${plain}_${n}`;
    if (!Object.hasOwn(taken, `extra.${name}`) && fits(name)) return `extra.${name}`;
  }
}
