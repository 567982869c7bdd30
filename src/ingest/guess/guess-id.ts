import type { ValueSpec } from "../mapping/form/value-spec.js";
import { TARGETS } from "./field-names.js";
import { ID_NAMES } from "./part-names.js";
import type { Profile } from "./profile.js";
import { isUnspaced, nearestFirst, wholeName } from "./take-fields.js";

/** The first column of a table without a header. */
const NAMELESS = /^column_1$/;
/** A word that is an id of some thing: `recommendationid`, `评论id`. */
const OWN_ID = /\p{L}{2,}id$/u;
/** Longer texts that occur once are words, not ids. */
const LONG_ID = 32;
const WORDS = new Set(
  TARGETS.filter(({ field }) => field === "title" || field === "text").flatMap(({ names }) => names),
);

/** Names of addresses that are those of pictures, which several rows may share; `productimageurl`. */
const PICTURE = /(?:image|img|photo|picture|pic|thumb|thumbnail|avatar|icon|logo|banner)s?(?:url|link)$/;

/** An id for the rows of a source. */
export interface GuessedId {
  readonly spec: ValueSpec;
  /** Whether other data are likely to have the same ids: numbers from 1 on. */
  readonly isCount: boolean;
  /** Fields that it takes. */
  readonly used: readonly Profile[];
  /** A field that it takes, of which nothing says that it is an id: it may be words. */
  readonly word: Profile | undefined;
  readonly doubts: readonly string[];
}

/**
 * Finds what tells rows apart: a field whose name says so and whose values differ, one that is an object in some rows and not in others
 * (`_id` and `_id.$oid`), any other short text that differs in each row; else the place of the row, so that equal rows stay apart.
 */
export function guessId(profiles: readonly Profile[], rows: number): GuessedId {
  const whole = nearestFirst(profiles).filter(
    ({ unique, filled, kind, objects, endings, addresses }) =>
      unique &&
      filled === 1 &&
      objects === 0 &&
      !addresses &&
      (kind === "text" || kind === "number") &&
      !endings.some((ending) => PICTURE.test(ending)),
  );
  // Ids of people are those of rows about people alone.
  const rowIds = whole.filter(({ person }) => person === undefined);
  const named = namedId(rowIds) ?? namedId(whole);
  if (named !== undefined) {
    const doubts =
      named.person === undefined
        ? []
        : [
            `id: ${named.path} is a person's by its name, and is personal data; the ids of the records show it, so take another if the rows are not about people`,
          ];
    return { spec: named.path, isCount: named.low, used: [named], word: undefined, doubts };
  }
  const twofold = ofTwoForms(profiles, rows);
  if (twofold !== undefined) {
    const spec = { path: twofold.map(({ path }) => path) };
    return {
      spec,
      isCount: false,
      used: twofold,
      word: undefined,
      doubts: [`id: ${spec.path.join(", else ")}: no field alone is in every row`],
    };
  }
  const word = rowIds.find(
    ({ kind, length, spaced, time, price, name }) =>
      kind === "text" &&
      !spaced &&
      length <= LONG_ID &&
      time === undefined &&
      price === undefined &&
      !WORDS.has(name) &&
      rows > 2,
  );
  if (word !== undefined) {
    const doubt = `id: ${word.path} differs in each of the rows looked at; nothing else says that it is an id`;
    return { spec: word.path, isCount: false, used: [], word, doubts: [doubt] };
  }
  const place =
    "id: no field is there and differs in every row looked at; the file and the place in it are used, so that equal rows stay apart (a row that moves gets another id)";
  const doubts = [place, ...repeatedId(profiles, rows)];
  return { spec: { hash: ["@file", "@row"] }, isCount: false, used: [], word: undefined, doubts };
}

/** Share of the rows that have to have an id of their own for a field to be said to be one, by its name. */
const MOSTLY_OWN = 0.2;

/** Says which field is an id by its name, where rows have that of others. */
function repeatedId(profiles: readonly Profile[], rows: number): readonly string[] {
  const [likeliest] = profiles
    .filter(
      ({ name, endings, filled, distinct, person, objects }) =>
        filled === 1 &&
        objects === 0 &&
        person === undefined &&
        distinct >= rows * MOSTLY_OWN &&
        distinct < rows &&
        (endings.includes("id") || ID_NAMES.includes(name)),
    )
    .sort((a, b) => b.distinct - a.distinct);
  if (likeliest === undefined) return [];
  const { path, distinct } = likeliest;
  return [
    `id: ${path} is an id by its name, and ${rows - distinct} of the ${rows} rows looked at have one of another row; take it if they are the same`,
  ];
}

function namedId(whole: readonly Profile[]): Profile | undefined {
  return (
    firstNamed(whole, ({ name }, wanted) => name === wanted) ??
    firstNamed(whole, (profile, wanted) => wholeName(profile) === wanted) ??
    firstNamed(whole, ({ endings }, wanted) => endings.includes(wanted)) ??
    whole.find(({ name }) => OWN_ID.test(name)) ??
    firstNamed(whole, ({ name }, wanted) => isUnspaced(wanted) && name.endsWith(wanted)) ??
    whole.find(
      ({ path, length, kind }) =>
        NAMELESS.test(path) && length <= LONG_ID && (length > 0 || kind === "number"),
    )
  );
}

function firstNamed(
  profiles: readonly Profile[],
  isNamed: (profile: Profile, name: string) => boolean,
): Profile | undefined {
  for (const name of ID_NAMES) {
    const found = profiles.find((profile) => isNamed(profile, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A member of an object, and what stands in the object's place where there is none. */
function ofTwoForms(profiles: readonly Profile[], rows: number): readonly Profile[] | undefined {
  for (const outer of profiles) {
    if (outer.objects === 0 || !outer.unique || !ID_NAMES.includes(outer.name)) continue;
    const inner = profiles.find(
      ({ path, unique }) =>
        unique && (path.startsWith(`${outer.path}.`) || path.startsWith(`${outer.path}[`)),
    );
    if (inner !== undefined && Math.round((inner.filled + outer.filled) * rows) === rows)
      return [inner, outer];
  }
  return undefined;
}
