import type { Json } from "../contract/json.js";

/** A number, or a list of many numbers, as it is written; a list without white space. */
export class Verbatim {
  constructor(readonly text: string) {}

  /** Whether it is a list of numbers: a vector. */
  get isList(): boolean {
    return this.text.startsWith("[");
  }
}

/** An object's members in their order, with those that come twice. */
export class Members {
  constructor(readonly entries: readonly (readonly [name: string, value: ExactJson])[]) {}

  /** The value of the last member of a name, as `JSON.parse` has it. */
  get(name: string): ExactJson | undefined {
    return this.entries.findLast(([found]) => found === name)?.[1];
  }

  /** The object with other values. */
  map(value: (value: ExactJson, name: string) => ExactJson): Members {
    return new Members(this.entries.map(([name, member]) => [name, value(member, name)] as const));
  }
}

/** A JSON value that keeps what a value of JavaScript loses: digits of numbers, the order of members, repeated ones. */
export type ExactJson = null | boolean | string | Verbatim | Members | readonly ExactJson[];

/** The JSON text of a value: the one that it was parsed from, without white space, and strings without needless escapes. */
export function exactText(value: ExactJson): string {
  if (value instanceof Verbatim) return value.text;
  if (value instanceof Members) {
    const members = value.entries.map(([name, member]) => `${JSON.stringify(name)}:${exactText(member)}`);
    return `{${members.join(",")}}`;
  }
  if (Array.isArray(value)) return `[${value.map(exactText).join(",")}]`;
  return JSON.stringify(value);
}

/** The value in JavaScript. Numbers that a double cannot hold, such as integers beyond ±(2^53 − 1), are decimal strings. */
export function plainJson(value: ExactJson): Json {
  if (value instanceof Verbatim)
    return value.isList ? numbersIn(value).map(plainNumber) : plainNumber(value.text);
  if (value instanceof Members)
    return Object.fromEntries(value.entries.map(([name, member]) => [name, plainJson(member)]));
  if (Array.isArray(value)) return value.map(plainJson);
  return value as Json;
}

/** The double of a number; undefined for one that has none: an integer beyond ±(2^53 − 1), or a number beyond all doubles. */
export function doubleOf(text: string): number | undefined {
  const number = Number(text);
  const isHeld = /^-?\d+$/.test(text) ? Number.isSafeInteger(number) : Number.isFinite(number);
  return isHeld ? number : undefined;
}

/** The texts of the numbers of a list. */
export function numbersIn({ text }: Verbatim): readonly string[] {
  return text.slice(1, -1).split(",");
}

function plainNumber(text: string): number | string {
  return doubleOf(text) ?? text;
}
