import { setMember } from "../own-member.js";

/**
 * Which fields of an answer a caller wants (decisions.md, "Local extensions"). It is local: the service is not told. A name is that of a
 * field of a record or item, `vec`; dots lead into it, `prov.hash`.
 */
export interface Selection {
  /** Fields to leave out. In process they are not read. */
  readonly omit?: readonly string[] | undefined;
  /** The only fields to keep; all by default. */
  readonly fields?: readonly string[] | undefined;
}

/** A name in a {@link Selection}: parts between dots, none of them empty. */
export const FIELD_NAME = /^[^.]+(?:\.[^.]+)*$/;

/** Whether a selection leaves something of a top-level field. */
export function wantsField({ omit, fields }: Selection, name: string): boolean {
  if (omit?.includes(name)) return false;
  return fields === undefined || fields.some((field) => field === name || field.startsWith(`${name}.`));
}

/** Whether a selection changes nothing. */
export function selectsAll({ omit, fields }: Selection): boolean {
  return fields === undefined && (omit === undefined || omit.length === 0);
}

/**
 * Applies a selection to an answer's `data`: to each record of an array, to each item of a page (which keeps its other fields), or
 * to the one thing that it is. The data given is not changed.
 */
export function selectData(data: unknown, selection: Selection): unknown {
  if (selectsAll(selection)) return data;
  const select = selector(selection);
  if (Array.isArray(data)) return data.map(select);
  if (isPlain(data) && Array.isArray(data.items)) return { ...data, items: data.items.map(select) };
  return select(data);
}

/** Returns the function that applies a selection to one record or item. */
export function selector({ omit = [], fields }: Selection): (item: unknown) => unknown {
  const kept = fields === undefined ? undefined : treeOf(fields);
  const dropped = treeOf(omit);
  return (item) => without(kept === undefined ? item : only(item, kept), dropped);
}

/** Names by their first part; `true` for a field that is named itself. */
interface Tree {
  readonly [name: string]: Tree | true;
}

function treeOf(names: readonly string[]): Tree {
  const tree: Record<string, Tree | true> = Object.create(null);
  for (const name of names) {
    const at = name.indexOf(".");
    const first = at < 0 ? name : name.slice(0, at);
    if (at < 0) tree[first] = true;
    else if (tree[first] !== true) {
      const inner = names.filter((other) => other.startsWith(`${first}.`));
      tree[first] ??= treeOf(inner.map((other) => other.slice(first.length + 1)));
    }
  }
  return tree;
}

function only(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((item) => only(item, tree));
  if (!isPlain(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const inner = tree[name];
    if (inner !== undefined) setMember(kept, name, inner === true ? member : only(member, inner));
  }
  return kept;
}

function without(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, tree));
  if (!isPlain(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const inner = tree[name];
    if (inner !== true) setMember(kept, name, inner === undefined ? member : without(member, inner));
  }
  return kept;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

type Element<List> = List extends readonly (infer Item)[] ? Item : never;
type First<Name> = Name extends `${infer Head}.${string}` ? Head : Name;

/** What {@link Selection} `O` leaves of one record or item, by its top-level names. */
type SelectedItem<Item, O> = Item extends object
  ? O extends { readonly fields: readonly (infer Name)[] }
    ? Pick<Item, Extract<keyof Item, First<Name>>>
    : O extends { readonly omit: readonly (infer Name)[] }
      ? { [Key in keyof Item as Key extends Name ? never : Key]: Item[Key] }
      : Item
  : Item;

/** Type of `data` that a selection `O` leaves; names that are not known to the compiler leave it as it is. */
export type Selected<Data, O> = O extends { readonly fields: unknown } | { readonly omit: unknown }
  ? unknown extends Data
    ? unknown
    : Data extends readonly unknown[]
      ? SelectedItem<Element<Data>, O>[]
      : Data extends { readonly items: readonly (infer Item)[] }
        ? Omit<Data, "items"> & { readonly items: readonly SelectedItem<Item, O>[] }
        : SelectedItem<Data, O>
  : Data;
