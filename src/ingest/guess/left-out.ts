import type { z } from "zod";
import { ownMember } from "../../contract/own-member.js";
import { Extra } from "../../contract/service/unified-record.js";
import type { ValueSpec } from "../mapping/form/value-spec.js";
import type { PersonPart } from "./person-field.js";
import type { Profile } from "./profile.js";
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

/** Puts what is left of a row's fields under `extra`, and says what is not put there. */
export function furtherFields(
  profiles: readonly Profile[],
  taken: Readonly<Record<string, ValueSpec>>,
): { readonly fields: Readonly<Record<string, ValueSpec>>; readonly leftOut: readonly LeftOut[] } {
  const fields: Record<string, ValueSpec> = {};
  const leftOut: LeftOut[] = [];
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
    else if (profile.filled > 0) fields[nameFor(profile, { ...taken, ...fields })] = valueAt(profile);
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
