import type { Json, JsonObject } from "../contract/json.js";
import { TOOL_DEFAULTS } from "./defaults.js";
import type { Part } from "./part-path.js";
import { quotedLine } from "./quoted-data.js";
import { cutPlace } from "./shorten-text.js";

/** How much of each text and each list of a record is shown. */
export interface Level {
  readonly characters: number;
  /** Elements of a list, fields of an object within the record. */
  readonly elements: number;
}

const ALL: Level = { characters: Number.POSITIVE_INFINITY, elements: Number.POSITIVE_INFINITY };

/** From whole records to the least of them. */
export const LEVELS: readonly Level[] = [
  ALL,
  { characters: 48_000, elements: 1_000 },
  { characters: 24_000, elements: 500 },
  { characters: 12_000, elements: 200 },
  { characters: 6_000, elements: 100 },
  { characters: 3_000, elements: 60 },
  { characters: 1_500, elements: 30 },
  { characters: 600, elements: 12 },
  { characters: 240, elements: 6 },
  { characters: 100, elements: 3 },
  { characters: 40, elements: 1 },
  { characters: 40, elements: 0 },
];

/** The level below which records are left out instead of shortened further. */
export const LEAST_OF_MANY = 7;

/** Where a value was shortened. */
export interface Cut {
  readonly part: Part;
  /** Characters, elements or fields that are left out. */
  readonly left: number;
}

/** Fields of a record that are shown at least; of a part that is continued, one element is. */
const ROOT_FIELDS = 24;

/** A value that is written: where it stands in its record, and how much of it is shown. */
interface Place {
  readonly level: Level;
  readonly path: Part["path"];
  readonly from: number;
  /** Elements or fields that are shown. */
  readonly most: number;
}

/**
 * Writes a value as {@link quotedLine} does, shortened to a level: its long texts, long lists and large objects. It comes in pieces, so
 * that who has enough need not have the rest made.
 * @param cuts gets where the value was shortened, so that the rest can be asked for
 * @param base where the value stands in its record
 * @param cite the first field, where the value is an object
 */
export function writeFitted(
  value: Json,
  level: Level,
  cuts: Cut[],
  base: Part = { path: [], from: 0 },
  cite?: string,
): Generator<string> {
  const most = Math.max(level.elements, base.path.length === 0 ? ROOT_FIELDS : 1);
  return write(value, { ...base, level, most }, cuts, cite);
}

function* write(value: Json, place: Place, cuts: Cut[], cite?: string): Generator<string> {
  if (typeof value !== "object" || value === null) {
    yield leaf(value, place, cuts);
    return;
  }
  if (isSmall(value, place)) {
    yield quotedLine(cite === undefined || Array.isArray(value) ? value : { cite, ...(value as JsonObject) });
    return;
  }
  const { path, from, most } = place;
  const isList = Array.isArray(value);
  const size = isList ? value.length : Object.keys(value).length;
  let before = isList ? "[" : "{";
  for (const { name, element, position } of isList ? elementsOf(value, most) : fieldsOf(value, most, cite)) {
    before += name === undefined ? "" : `${quotedLine(name)}:`;
    if (position === undefined) yield before + quotedLine(element);
    else {
      const { level } = place;
      const inner = { level, path: [...path, from + position], from: 0, most: level.elements };
      if (typeof element !== "object" || element === null) yield before + leaf(element, inner, cuts);
      else {
        yield before;
        yield* write(element, inner, cuts);
      }
    }
    before = ",";
  }
  yield (before === "," ? "" : before) + (isList ? "]" : "}");
  // A field named like the citation stands first: its cut comes in its turn.
  if (cite !== undefined && !isList && Object.hasOwn(value, "cite"))
    cuts.sort((a, b) => a.part.path[0]! - b.part.path[0]!);
  if (size > most) cuts.push({ part: { path, from: from + most }, left: size - most });
}

/** Whether a value is written whole and at once: few elements, which are short texts and values without elements. */
function isSmall(value: object, { level, most }: Place): boolean {
  const elements = Object.values(value) as Json[];
  const longest = Math.min(level.characters, TOOL_DEFAULTS.smallText);
  return (
    elements.length <= Math.min(most, TOOL_DEFAULTS.smallElements) &&
    elements.every((one) =>
      typeof one === "string" ? one.length <= longest : typeof one !== "object" || one === null,
    )
  );
}

/** A text, shortened, or another value that has no elements. */
function leaf(value: Json, { level, path, from }: Place, cuts: Cut[]): string {
  if (typeof value !== "string") return quotedLine(value);
  const place = cutPlace(value, level.characters);
  if (place === value.length) return quotedLine(value);
  cuts.push({ part: { path, from: from + place }, left: value.length - place });
  return quotedLine(value.slice(0, place));
}

interface Element {
  readonly name: string | undefined;
  readonly element: Json;
  /** Undefined for what is no field of the value. */
  readonly position: number | undefined;
}

function* elementsOf(list: readonly Json[], most: number): Generator<Element> {
  for (let i = 0; i < list.length && i < most; i++) yield { name: undefined, element: list[i]!, position: i };
}

/** Fields in the order of JSON; names that are numbers come before the citation. */
function fieldsOf(value: object, most: number, cite: string | undefined): Element[] {
  const kept = Object.entries(value as JsonObject).slice(0, most);
  if (cite === undefined)
    return kept.map(([name, element], position) => ({ name, element: element as Json, position }));
  const positions = new Map(kept.map(([name], i) => [name, i]));
  return Object.entries({ cite, ...Object.fromEntries(kept) }).map(([name, element]) => ({
    name,
    element: element as Json,
    position: positions.get(name),
  }));
}
