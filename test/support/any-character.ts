import fc from "fast-check";

/** Code points before the halves of pairs, and how many these are. */
const FIRST_HALF = 0xd800;
const HALVES = 0x800;

/**
 * Any character but halves of pairs: a unit of `fc.string`, of the same values as its `"binary"`. That one keeps a table of all 1,112,064
 * characters, which takes a second and 80 MB in each process, and .1 s of every full collection of its garbage.
 */
export const ANY_CHARACTER = fc
  .integer({ min: 0, max: 0x10_ffff - HALVES })
  .map((place) => String.fromCodePoint(place < FIRST_HALF ? place : place + HALVES), placeOf);

/** @throws TypeError for what is not one such character */
function placeOf(value: unknown): number {
  const code = typeof value === "string" ? (value.codePointAt(0) ?? -1) : -1;
  if (code < 0 || String.fromCodePoint(code) !== value || !value.isWellFormed())
    throw new TypeError(`${JSON.stringify(value)} is not a character`);
  return code < FIRST_HALF ? code : code - HALVES;
}
