import { TERMS_HEADER } from "../format.js";
import { writeVarint } from "../postings/varint.js";
import { OFFSET_UNIT, type TermEntry } from "./term-dictionary.js";
import type { TermNames } from "./term-names.js";

/** Most bytes of an entry without its term and languages, and of what a bucket begins with. */
const ENTRY_BYTES = 60;

/** Builds the file of terms (see {@link KEYWORD_FILES}). */
export class TermDictionaryBuilder {
  private entries = new Uint8Array(1 << 16);
  private used = 0;
  /** Where each bucket starts, up to the one that is being filled. */
  private readonly starts: Uint32Array;
  private bucket = -1;
  /** Where the next postings and positions are to start. */
  private next = { postings: 0, positions: 0 };

  constructor(private readonly names: TermNames) {
    this.starts = new Uint32Array(names.buckets + 1);
  }

  /**
   * Adds the term of a number. Terms are added in their names' order, and their postings and positions follow one another in the files.
   * @throws RangeError for others
   */
  add(number: number, entry: TermEntry): void {
    const name = this.names.name(number);
    const { documents, postings, positions, languages } = entry;
    this.reserve(name.length + languages.length * 10 + ENTRY_BYTES);
    this.enter(this.names.bucket(number), entry);
    if (postings.offset !== this.next.postings || positions.offset !== this.next.positions)
      throw new RangeError(`term ${number} does not follow the one before it`);
    const { entries } = this;
    let at = writeVarint(entries, this.used, name.length);
    entries.set(name, at);
    at += name.length;
    const [only, ...others] = languages;
    const single = others.length === 0 && only !== undefined && only[1] === documents;
    const numbers = [documents * 2 + (single ? 1 : 0), entry.maxFrequency, entry.minLength];
    numbers.push(postings.bytes, positions.bytes);
    if (single) numbers.push(only[0]);
    else numbers.push(languages.length, ...languages.flat());
    for (const value of numbers) at = writeVarint(entries, at, value);
    this.used = at;
    this.next = { postings: postings.offset + postings.bytes, positions: positions.offset + positions.bytes };
  }

  /** Returns the bytes of the file. */
  build(): Uint8Array {
    const { starts, names } = this;
    starts.fill(this.used, this.bucket + 1);
    const head = TERMS_HEADER * 4 + starts.byteLength;
    const bytes = new Uint8Array(head + this.used);
    new Uint32Array(bytes.buffer, 0, TERMS_HEADER).set([names.buckets, names.count, this.used, 0]);
    new Uint32Array(bytes.buffer, TERMS_HEADER * 4, starts.length).set(starts);
    bytes.set(this.entries.subarray(0, this.used), head);
    return bytes;
  }

  /** Begins a bucket, unless the term is in the one that is being filled. */
  private enter(bucket: number, { postings, positions }: TermEntry): void {
    if (bucket === this.bucket) return;
    if (bucket < this.bucket) throw new RangeError(`a term of bucket ${bucket} after bucket ${this.bucket}`);
    this.starts.fill(this.used, this.bucket + 1, bucket + 1);
    this.bucket = bucket;
    for (const { offset } of [postings, positions])
      for (const part of [Math.floor(offset / OFFSET_UNIT), offset % OFFSET_UNIT])
        this.used = writeVarint(this.entries, this.used, part);
    this.next = { postings: postings.offset, positions: positions.offset };
  }

  private reserve(bytes: number): void {
    if (this.used + bytes <= this.entries.length) return;
    const grown = new Uint8Array(Math.max(this.entries.length * 2, this.used + bytes));
    grown.set(this.entries.subarray(0, this.used));
    this.entries = grown;
  }
}
