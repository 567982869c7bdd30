import { hashBytes, TERMS_HEADER } from "./format.js";
import { VarintReader, writeVarint } from "./varint.js";

/** A byte range of a file. */
export interface Extent {
  readonly offset: number;
  readonly bytes: number;
}

/** Dictionary entry of a term in a segment. */
export interface TermEntry {
  /** Number of documents that contain it. */
  readonly documents: number;
  /**
   * Largest frequency in a document, and length of the shortest document that contains the term, both in half
   * words.
   */
  readonly maxFrequency: number;
  readonly minLength: number;
  readonly postings: Extent;
  readonly positions: Extent;
  /** Number of documents that contain it, by language number. */
  readonly languages: readonly (readonly [language: number, documents: number])[];
}

const encoder = new TextEncoder();
const OFFSET_BITS = 28;
const OFFSET_UNIT = 2 ** OFFSET_BITS;
/** Most bytes of an entry without its term and languages. */
const ENTRY_BYTES = 60;

/** Builds the file of terms (see {@link KEYWORD_FILES}). */
export class TermDictionaryBuilder {
  private entries = new Uint8Array(1 << 16);
  private used = 0;
  private readonly offsets: Uint32Array;
  private count = 0;

  constructor(private readonly size: number) {
    this.offsets = new Uint32Array(size);
  }

  /** Adds a term. */
  add(term: string, entry: TermEntry): void {
    const name = encoder.encode(term);
    this.reserve(name.length + entry.languages.length * 10 + ENTRY_BYTES);
    this.offsets[this.count++] = this.used;
    const { entries } = this;
    let at = writeVarint(entries, this.used, name.length);
    entries.set(name, at);
    at += name.length;
    const numbers = [
      entry.documents,
      entry.maxFrequency,
      entry.minLength,
      ...extentNumbers(entry.postings),
      ...extentNumbers(entry.positions),
      entry.languages.length,
      ...entry.languages.flat(),
    ];
    for (const number of numbers) at = writeVarint(entries, at, number);
    this.used = at;
  }

  /** Returns the bytes of the file. */
  build(): Uint8Array {
    let slots = 16;
    while (slots < this.size * 1.5) slots *= 2;
    const header = TERMS_HEADER * 4;
    const bytes = new Uint8Array(header + slots * 4 + this.used);
    const table = new Uint32Array(bytes.buffer, header, slots);
    new Uint32Array(bytes.buffer, 0, TERMS_HEADER).set([slots, this.count, this.used, 0]);
    for (const offset of this.offsets.subarray(0, this.count)) {
      const reader = new VarintReader(this.entries, offset);
      const length = reader.next();
      let slot = hashBytes(this.entries, reader.offset, reader.offset + length) & (slots - 1);
      while (table[slot] !== 0) slot = (slot + 1) & (slots - 1);
      table[slot] = offset + 1;
    }
    bytes.set(this.entries.subarray(0, this.used), header + slots * 4);
    return bytes;
  }

  private reserve(bytes: number): void {
    if (this.used + bytes <= this.entries.length) return;
    const grown = new Uint8Array(Math.max(this.entries.length * 2, this.used + bytes));
    grown.set(this.entries.subarray(0, this.used));
    this.entries = grown;
  }
}

/** Looks terms up in the bytes of a file of terms. */
export class TermDictionary {
  private readonly table: Uint32Array;
  private readonly entries: Uint8Array;
  /** The term that is looked up. */
  private name = new Uint8Array(256);

  /**
   * Opens a dictionary.
   * @throws RangeError if the bytes are incomplete.
   */
  constructor(bytes: Uint8Array) {
    const header = new Uint32Array(bytes.buffer, bytes.byteOffset, TERMS_HEADER);
    const [slots, , size] = header as unknown as [number, number, number];
    const start = TERMS_HEADER * 4;
    if (bytes.length !== start + slots * 4 + size || (slots & (slots - 1)) !== 0) {
      throw new RangeError(`the file of terms is not whole: ${bytes.length} bytes`);
    }
    this.table = new Uint32Array(bytes.buffer, bytes.byteOffset + start, slots);
    this.entries = bytes.subarray(start + slots * 4);
  }

  /** Looks a term up; undefined if it does not occur. */
  find(term: string): TermEntry | undefined {
    const length = this.write(term);
    const { name, table } = this;
    const mask = table.length - 1;
    for (let slot = hashBytes(name, 0, length) & mask; table[slot] !== 0; slot = (slot + 1) & mask) {
      const reader = new VarintReader(this.entries, table[slot]! - 1);
      if (reader.next() !== length || !this.isName(reader.offset, length)) continue;
      reader.offset += length;
      return readEntry(reader);
    }
    return undefined;
  }

  /** All terms with their entries, in the order in which they were added. */
  *all(): Generator<[term: string, entry: TermEntry], void, void> {
    const { entries } = this;
    const reader = new VarintReader(entries);
    while (reader.offset < entries.length) {
      const length = reader.next();
      const term = Buffer.from(entries.buffer, entries.byteOffset + reader.offset, length).toString();
      reader.offset += length;
      yield [term, readEntry(reader)];
    }
  }

  /** Writes a term's UTF-8 into {@link name}; returns its length. */
  private write(term: string): number {
    if (this.name.length < term.length * 3) this.name = new Uint8Array(term.length * 6);
    const { name } = this;
    // Most terms are short and ASCII, where a call of the encoder takes longer than the rest.
    for (let i = 0; i < term.length; i++) {
      const code = term.charCodeAt(i);
      if (code > 0x7f) return encoder.encodeInto(term, name).written;
      name[i] = code;
    }
    return term.length;
  }

  private isName(at: number, length: number): boolean {
    const { entries, name } = this;
    for (let i = 0; i < length; i += 1) if (entries[at + i] !== name[i]) return false;
    return true;
  }
}

function extentNumbers({ offset, bytes }: Extent): number[] {
  return [Math.floor(offset / OFFSET_UNIT), offset % OFFSET_UNIT, bytes];
}

function readEntry(reader: VarintReader): TermEntry {
  const extent = (): Extent => ({
    offset: reader.next() * OFFSET_UNIT + reader.next(),
    bytes: reader.next(),
  });
  return {
    documents: reader.next(),
    maxFrequency: reader.next(),
    minLength: reader.next(),
    postings: extent(),
    positions: extent(),
    languages: Array.from({ length: reader.next() }, () => [reader.next(), reader.next()] as const),
  };
}
