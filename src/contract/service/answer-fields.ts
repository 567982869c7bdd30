import { z } from "zod";
import { nearestName } from "../nearest-name.js";
import type { Selection } from "./selection.js";

/** A name in a {@link Selection} that no record or item of an answer can have. */
export interface UnknownField {
  /** The option that has it. */
  readonly option: "fields" | "omit";
  /** Its place in the option. */
  readonly index: number;
  readonly name: string;
  /** The name that was probably meant. */
  readonly meant: string | undefined;
  /** The names that there are beside it, with what leads to them. */
  readonly known: readonly string[];
}

/**
 * The schema of what a selection is applied to: the records of an array, the items of a page, or the one thing that `data` is.
 * @param data schema of an endpoint's `data`
 */
export function selectedSchema(data: z.ZodType): z.ZodType {
  const inner = unwrapped(data);
  if (inner instanceof z.ZodArray) return unwrapped(inner.element as z.ZodType);
  const items = inner instanceof z.ZodObject ? (inner.shape as z.ZodRawShape).items : undefined;
  const list = items === undefined ? undefined : unwrapped(items as z.ZodType);
  return list instanceof z.ZodArray ? unwrapped(list.element as z.ZodType) : inner;
}

/** Whether `data` of a schema may be a page of items: of an array and of what has other members it is known that it is none. */
export function mayBePage(data: z.ZodType): boolean {
  const inner = unwrapped(data);
  if (inner instanceof z.ZodUnion) return (inner.options as readonly z.ZodType[]).some(mayBePage);
  if (!(inner instanceof z.ZodObject)) return !(inner instanceof z.ZodArray);
  const members = Object.keys(inner.shape);
  return members.length === 0 || members.includes("items");
}

/** What a selection is applied to: the records of an array, the items of a page, or the one thing that `data` is. */
export function selectedItems(data: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data;
  if (typeof data !== "object" || data === null) return [];
  return "items" in data && Array.isArray(data.items) ? data.items : [data];
}

/** Whether a thing, or an element of a list in it, has the field at a path. */
export function hasField(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  if (Array.isArray(value)) return value.some((element) => hasField(element, [name, ...rest]));
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return false;
  return hasField((value as Readonly<Record<string, unknown>>)[name], rest);
}

/**
 * Names the fields of records or items, those inside of others with dots.
 * @param item schema of a record or item
 */
export function fieldNames(item: z.ZodType): string[] {
  return Object.entries(shapeOf(item) ?? {}).flatMap(([name, schema]) => [
    name,
    ...Object.keys(shapeOf(schema as z.ZodType) ?? {}).map((member) => `${name}.${member}`),
  ]);
}

/**
 * Finds the first name of a selection that no record or item can have. Where a shape is open, as those of a platform's own items are,
 * any name may be one. A field that is left out may be of another shape: one wrapper leaves out `vec` everywhere.
 * @param item schema of a record or item
 * @param elsewhere names that are fields of other answers
 */
export function unknownField(
  item: z.ZodType,
  { fields = [], omit = [] }: Selection,
  elsewhere: readonly string[] = [],
): UnknownField | undefined {
  for (const [option, names] of [["fields", fields] as const, ["omit", omit] as const]) {
    for (const [index, name] of names.entries()) {
      if (option === "omit" && elsewhere.includes(name)) continue;
      const known = knownBeside(item, name);
      if (known === undefined) continue;
      return { option, index, name, meant: nearestName(name, [...known, ...fieldNames(item)]), known };
    }
  }
  return undefined;
}

/** The names at the place of one that a closed shape lacks; undefined if the name may be right. */
function knownBeside(item: z.ZodType, name: string): string[] | undefined {
  const parts = name.split(".");
  let at = item;
  for (const [depth, part] of parts.entries()) {
    const inner = elementOf(at);
    if (!(inner instanceof z.ZodObject)) return undefined;
    const shape = inner.shape as z.ZodRawShape;
    if (Object.hasOwn(shape, part)) at = shape[part] as z.ZodType;
    else {
      const before = parts
        .slice(0, depth)
        .map((each) => `${each}.`)
        .join("");
      return isClosed(inner) ? Object.keys(shape).map((each) => `${before}${each}`) : undefined;
    }
  }
  return undefined;
}

function shapeOf(schema: z.ZodType): z.ZodRawShape | undefined {
  const inner = elementOf(schema);
  return inner instanceof z.ZodObject ? (inner.shape as z.ZodRawShape) : undefined;
}

function isClosed(schema: z.ZodObject): boolean {
  return schema.def.catchall instanceof z.ZodNever;
}

/** What a name leads into: a selection applies to each element of a list. */
function elementOf(schema: z.ZodType): z.ZodType {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodArray ? elementOf(inner.element as z.ZodType) : inner;
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;
}
