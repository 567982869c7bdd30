import { hash } from "node:crypto";
import { SAME_KEY, VECTOR_KEY } from "./cassette-line.js";
import { type ExactJson, exactText, Members, Verbatim } from "./exact-json.js";

/** Characters of JSON from which on a repeated item is named instead of written. */
const LEAST_ITEM = 120;
const DIGEST = 16;

/** The name of a content: part of its SHA-256, which is as unlikely to repeat in a cassette. */
export function digestOf(text: string): string {
  return hash("sha256", text, "hex").slice(0, DIGEST);
}

/** Whether a body has what stands for content in a cassette: it cannot be written there as JSON. */
export function holdsReference(value: ExactJson): boolean {
  if (Array.isArray(value)) return value.some(holdsReference);
  if (!(value instanceof Members)) return false;
  if (referenceOf(value, VECTOR_KEY) !== undefined || referenceOf(value, SAME_KEY) !== undefined) return true;
  return value.entries.some(([, member]) => holdsReference(member));
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

  /** The body with references, and the vectors that are new, as JSON texts by name. */
  pack(body: ExactJson): { readonly body: ExactJson; readonly vectors: ReadonlyMap<string, string> } {
    const vectors = new Map<string, string>();
    const bare = this.withoutVectors(body, vectors);
    return { body: withItems(bare, (item) => this.packItem(item)), vectors };
  }

  private withoutVectors(value: ExactJson, added: Map<string, string>): ExactJson {
    if (value instanceof Members) return value.map((member) => this.withoutVectors(member, added));
    if (Array.isArray(value)) return value.map((item) => this.withoutVectors(item, added));
    if (!(value instanceof Verbatim && value.isList)) return value;
    const name = digestOf(value.text);
    if (!this.vectors.has(name)) added.set(name, value.text);
    this.vectors.add(name);
    return reference(VECTOR_KEY, name);
  }

  private packItem(item: ExactJson): ExactJson {
    const text = exactText(item);
    if (text.length < LEAST_ITEM) return item;
    const name = digestOf(text);
    if (this.items.has(name)) return reference(SAME_KEY, name);
    this.items.add(name);
    return item;
  }
}

/** Reads the bodies that a {@link ContentPacker} wrote, in their order. */
export class ContentUnpacker {
  readonly vectors = new Map<string, ExactJson>();
  readonly items = new Map<string, ExactJson>();

  /** The body as it was. @throws RangeError for a reference to what no line before has */
  unpack(body: ExactJson): ExactJson {
    const whole = withItems(body, (item) => this.unpackItem(item));
    return this.withVectors(whole);
  }

  private unpackItem(item: ExactJson): ExactJson {
    const name = referenceOf(item, SAME_KEY);
    if (name !== undefined) return found(this.items.get(name), name);
    const text = exactText(item);
    if (text.length >= LEAST_ITEM) this.items.set(digestOf(text), item);
    return item;
  }

  private withVectors(value: ExactJson): ExactJson {
    const name = referenceOf(value, VECTOR_KEY);
    if (name !== undefined) return found(this.vectors.get(name), name);
    if (value instanceof Members) return value.map((member) => this.withVectors(member));
    return Array.isArray(value) ? value.map((item) => this.withVectors(item)) : value;
  }
}

/** Maps the items of an answer: the elements of `data`, or of `data.items`. */
function withItems(body: ExactJson, map: (item: ExactJson) => ExactJson): ExactJson {
  if (!(body instanceof Members)) return body;
  return body.map((data, name) => {
    if (name !== "data") return data;
    if (Array.isArray(data)) return data.map(map);
    if (!(data instanceof Members)) return data;
    return data.map((items, inner) => (inner === "items" && Array.isArray(items) ? items.map(map) : items));
  });
}

function reference(key: string, name: string): Members {
  return new Members([[key, name]]);
}

function referenceOf(value: ExactJson, key: string): string | undefined {
  if (!(value instanceof Members) || value.entries.length !== 1) return undefined;
  const [[name, content]] = value.entries as [readonly [string, ExactJson]];
  return name === key && typeof content === "string" ? content : undefined;
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new RangeError(`no line before has the content ${name}`);
  return value;
}
