import type { Json } from "../contract/json.js";
import type { Part } from "./part-path.js";
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

/** A value as it is shown. */
export interface Fitted {
  readonly value: Json;
  readonly cuts: readonly Cut[];
}

/**
 * Shortens a value to a level: its long texts, long lists and large objects. Each cut says where it is, so that the rest can be asked for.
 * @param base where the value stands in its record
 */
export function fitValue(value: Json, level: Level, base: Part = { path: [], from: 0 }): Fitted {
  const cuts: Cut[] = [];
  const shorten = (at: Json, path: Part["path"], from: number, root: boolean): Json => {
    if (typeof at === "string") {
      const place = cutPlace(at, level.characters);
      if (place === at.length) return at;
      cuts.push({ part: { path, from: from + place }, left: at.length - place });
      return at.slice(0, place);
    }
    if (typeof at !== "object" || at === null) return at;
    const isList = Array.isArray(at);
    const entries: [string, Json][] = Object.entries(at);
    const most = root ? Math.max(level.elements, base.path.length === 0 ? ROOT_FIELDS : 1) : level.elements;
    const kept = entries.slice(0, most);
    const shown = kept.map(
      ([key, element], i) => [key, shorten(element, [...path, from + i], 0, false)] as const,
    );
    if (kept.length < entries.length)
      cuts.push({ part: { path, from: from + kept.length }, left: entries.length - kept.length });
    return isList ? shown.map(([, element]) => element) : Object.fromEntries(shown);
  };
  return { value: shorten(value, base.path, base.from, true), cuts };
}

/** Fields of a record that are shown at least; of a part that is continued, one element is. */
const ROOT_FIELDS = 24;
