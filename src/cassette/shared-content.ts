import { hash } from "node:crypto";
import type { Json, JsonObject } from "../contract/json.js";
import { SAME_KEY, VECTOR_KEY } from "./cassette-line.js";

/** Numbers in a row from which on they are a vector. */
const LEAST_VECTOR = 16;
/** Characters of JSON from which on a repeated item is named instead of written. */
const LEAST_ITEM = 120;
const DIGEST = 16;

/** The name of a content: part of its SHA-256, which is as unlikely to repeat in a cassette. */
export function digestOf(text: string): string {
  return hash("sha256", text, "hex").slice(0, DIGEST);
}

/** Writes bodies so that each vector and each item stands in a cassette once. */
export class ContentPacker {
  private readonly vectors = new Set<string>();
  private readonly items = new Set<string>();

  /** Notes what a cassette already has. */
  know({ vectors, items }: { readonly vectors: Iterable<string>; readonly items: Iterable<string> }): void {
    for (const vector of vectors) this.vectors.add(vector);
    for (const item of items) this.items.add(item);
  }

  /** The body with references, and the vectors that are new, by name. */
  pack(body: Json): { readonly body: Json; readonly vectors: ReadonlyMap<string, readonly number[]> } {
    const vectors = new Map<string, readonly number[]>();
    const bare = this.withoutVectors(body, vectors);
    return { body: withItems(bare, (item) => this.packItem(item)), vectors };
  }

  private withoutVectors(value: Json, added: Map<string, readonly number[]>): Json {
    if (Array.isArray(value)) {
      if (!isVector(value)) return value.map((item) => this.withoutVectors(item, added));
      const name = digestOf(JSON.stringify(value));
      if (!this.vectors.has(name)) added.set(name, value);
      this.vectors.add(name);
      return { [VECTOR_KEY]: name };
    }
    if (value === null || typeof value !== "object") return value;
    return mapMembers(value as JsonObject, (member) => this.withoutVectors(member, added));
  }

  private packItem(item: Json): Json {
    const text = JSON.stringify(item);
    if (text.length < LEAST_ITEM) return item;
    const name = digestOf(text);
    if (this.items.has(name)) return { [SAME_KEY]: name };
    this.items.add(name);
    return item;
  }
}

/** Reads the bodies that a {@link ContentPacker} wrote, in their order. */
export class ContentUnpacker {
  readonly vectors = new Map<string, readonly number[]>();
  readonly items = new Map<string, Json>();

  /** The body as it was. @throws RangeError for a reference to what no line before has */
  unpack(body: Json): Json {
    const whole = withItems(body, (item) => this.unpackItem(item));
    return this.withVectors(whole);
  }

  private unpackItem(item: Json): Json {
    const name = referenceOf(item, SAME_KEY);
    if (name !== undefined) return found(this.items.get(name), name);
    const text = JSON.stringify(item);
    if (text.length >= LEAST_ITEM) this.items.set(digestOf(text), item);
    return item;
  }

  private withVectors(value: Json): Json {
    const name = referenceOf(value, VECTOR_KEY);
    if (name !== undefined) return [...found(this.vectors.get(name), name)];
    if (Array.isArray(value)) return value.map((item) => this.withVectors(item));
    if (value === null || typeof value !== "object") return value;
    return mapMembers(value as JsonObject, (member) => this.withVectors(member));
  }
}

/** Maps the items of an answer: the elements of `data`, or of `data.items`. */
function withItems(body: Json, map: (item: Json) => Json): Json {
  if (body === null || typeof body !== "object" || Array.isArray(body)) return body;
  const { data } = body as JsonObject;
  if (Array.isArray(data)) return { ...(body as JsonObject), data: data.map((item) => map(item as Json)) };
  const items = (data as JsonObject | null | undefined)?.items;
  if (!Array.isArray(items)) return body;
  return {
    ...(body as JsonObject),
    data: { ...(data as JsonObject), items: items.map((item) => map(item as Json)) },
  };
}

function mapMembers(object: JsonObject, map: (member: Json) => Json): Json {
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, map(member as Json)]));
}

function isVector(values: readonly Json[]): values is number[] {
  return values.length >= LEAST_VECTOR && values.every((value) => typeof value === "number");
}

function referenceOf(value: Json, key: string): string | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  const [[name, reference] = [], second] = Object.entries(value as JsonObject);
  return second === undefined && name === key && typeof reference === "string" ? reference : undefined;
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new RangeError(`no line before has the content ${name}`);
  return value;
}
