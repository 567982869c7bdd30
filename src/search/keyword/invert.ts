import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nextTurn } from "../../next-turn.js";
import { BLOCK, BLOCK_FIELDS, KEYWORD_FILES, KEYWORD_FORMAT, USUAL_FREQUENCY } from "./format.js";
import type { KeywordManifest } from "./keyword-manifest.js";
import type { TermSizes } from "./keyword-writer.js";
import { ByteSink } from "./postings/byte-sink.js";
import type { LoggedChunk } from "./postings/chunk-log.js";
import { movedCode } from "./postings/chunk-postings.js";
import { DensePostingsBuilder, isDense } from "./postings/dense-postings.js";
import { PositionsReader } from "./postings/positions.js";
import { VarintReader, writeVarint } from "./postings/varint.js";
import { TermDictionaryBuilder } from "./terms/term-dictionary-builder.js";
import { TermNames } from "./terms/term-names.js";

/** Terms finished per turn of the event loop. */
const TERMS_A_TURN = 4096;
/** Longer copies use `set`. */
const LONG = 64;
const NOTHING = new Uint8Array(0);

/** Input of the inversion of a segment. */
export interface InvertInput {
  readonly log: Iterable<LoggedChunk>;
  /** Terms by number: in insertion order. */
  readonly terms: ReadonlyMap<string, number>;
  readonly sizes: TermSizes;
  readonly lengths: Uint32Array;
  readonly rowLanguages: Uint16Array;
  readonly languages: KeywordManifest["languages"];
  /** Bytes of postings and positions held in memory at a time. */
  readonly memory: number;
}

/** Where the bytes of postings or positions go. */
export interface ByteTarget {
  /** Bytes written so far. */
  readonly size: number;
  /** Appends bytes, which may change afterwards. */
  write(bytes: Uint8Array): void;
}

/**
 * Joins the chunks of a log into postings and positions, in as many passes over the log as the memory limit requires.
 * @returns the bytes of the dictionary, see {@link KEYWORD_FILES}
 * @throws the signal's reason
 */
export async function invertChunks(
  input: InvertInput,
  out: { readonly postings: ByteTarget; readonly positions: ByteTarget },
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const names = new TermNames(input.terms.keys(), input.terms.size);
  const order = names.order();
  const dictionary = new TermDictionaryBuilder(names);
  for (let first = 0; first < order.length; ) {
    const range = new TermRange(input, order, first);
    await range.fill(signal);
    for (let at = first; at < range.end; at += 1) {
      range.finish(order[at]!, { ...out, dictionary });
      if (at % TERMS_A_TURN !== 0) continue;
      await nextTurn();
      signal?.throwIfAborted();
    }
    first = range.end;
  }
  return dictionary.build();
}

/** The manifest of an inverted segment. */
export function keywordManifestOf({ terms, lengths, languages }: InvertInput): KeywordManifest {
  return {
    formatVersion: KEYWORD_FORMAT,
    documentCount: lengths.length,
    termCount: terms.size,
    languages,
  };
}

/** Joins the chunks of a log into the files of a keyword index, as {@link invertChunks} does. @throws the signal's reason */
export async function writeKeywordFiles(
  dir: string,
  input: InvertInput,
  signal?: AbortSignal,
): Promise<KeywordManifest> {
  const { lengths, rowLanguages } = input;
  const postings = new ByteSink(join(dir, KEYWORD_FILES.postings));
  let positions: ByteSink | undefined;
  let dictionary: Uint8Array;
  try {
    positions = new ByteSink(join(dir, KEYWORD_FILES.positions));
    dictionary = await invertChunks(input, { postings, positions }, signal);
    postings.finish();
    positions.finish();
  } finally {
    postings.close();
    positions?.close();
  }
  await writeFile(join(dir, KEYWORD_FILES.terms), dictionary);
  await writeFile(join(dir, KEYWORD_FILES.lengths), new Uint8Array(lengths.buffer));
  await writeFile(join(dir, KEYWORD_FILES.languages), new Uint8Array(rowLanguages.buffer));
  const manifest = keywordManifestOf(input);
  await writeFile(join(dir, KEYWORD_FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/** The postings of the terms in an order from `first` to before `end`, under construction. */
class TermRange {
  readonly end: number;
  /** By term: its slot among those of the range, which have the order of the log; −1 for others. */
  private readonly slots: Int32Array;
  private readonly postingStart: Uint32Array;
  private readonly positionStart: Uint32Array;
  private readonly postings: Uint8Array;
  private readonly positions: Uint8Array;

  constructor(
    private readonly input: InvertInput,
    order: Uint32Array,
    first: number,
  ) {
    const { postingBytes, positionBytes } = input.sizes;
    this.slots = new Int32Array(order.length).fill(-1);
    let bytes = 0;
    let end = first;
    while (end < order.length) {
      const term = order[end]!;
      bytes += postingBytes.get(term) + positionBytes.get(term);
      if (bytes > input.memory && end > first) break;
      this.slots[term] = 0;
      end += 1;
    }
    this.end = end;
    const members = new Uint32Array(end - first);
    let slot = 0;
    for (let term = 0; term < order.length; term += 1) {
      if (this.slots[term] !== 0) continue;
      members[slot] = term;
      this.slots[term] = slot++;
    }
    this.postingStart = starts(postingBytes, members);
    this.positionStart = starts(positionBytes, members);
    this.postings = new Uint8Array(this.postingStart.at(-1)!);
    this.positions = new Uint8Array(this.positionStart.at(-1)!);
  }

  async fill(signal: AbortSignal | undefined): Promise<void> {
    const { slots, postings, positions } = this;
    const postingAt = this.postingStart.slice();
    const positionAt = this.positionStart.slice();
    const nextRow = new Uint32Array(postingAt.length - 1);
    for (const chunk of this.input.log) {
      await nextTurn();
      signal?.throwIfAborted();
      const reader = new VarintReader(chunk.postings);
      let [postingFrom, positionFrom] = [0, 0];
      for (let i = 0; i < chunk.numbers.length; i += 1) {
        const postingEnd = postingFrom + chunk.postingBytes[i]!;
        const positionEnd = positionFrom + chunk.positionBytes[i]!;
        const slot = slots[chunk.numbers[i]!]!;
        if (slot >= 0) {
          reader.offset = postingFrom;
          const at = writeVarint(
            postings,
            postingAt[slot]!,
            movedCode(reader.next(), chunk.firstRow - nextRow[slot]!),
          );
          nextRow[slot] = chunk.firstRow + chunk.last[i]! + 1;
          postingAt[slot] = copy(chunk.postings, reader.offset, postingEnd, postings, at);
          positionAt[slot] = copy(chunk.positions, positionFrom, positionEnd, positions, positionAt[slot]!);
        }
        postingFrom = postingEnd;
        positionFrom = positionEnd;
      }
    }
  }

  finish(
    term: number,
    out: { postings: ByteTarget; positions: ByteTarget; dictionary: TermDictionaryBuilder },
  ): void {
    const slot = this.slots[term]!;
    const body = this.postings.subarray(this.postingStart[slot]!, this.postingStart[slot + 1]!);
    const placed = this.positions.subarray(this.positionStart[slot]!, this.positionStart[slot + 1]!);
    const documents = this.input.sizes.documents.get(term);
    const { parts, maxFrequency, minLength, languages } = this.describe(body, placed, documents);
    // Of a term that has no position anywhere, such as the end of a word, nothing is written.
    const places = placed.length === documents && placed.every((code) => code === 0) ? NOTHING : placed;
    const postingsAt = out.postings.size;
    for (const part of parts) out.postings.write(part);
    out.dictionary.add(term, {
      documents,
      maxFrequency,
      minLength,
      postings: { offset: postingsAt, bytes: out.postings.size - postingsAt },
      positions: { offset: out.positions.size, bytes: places.length },
      languages,
    });
    out.positions.write(places);
  }

  private describe(body: Uint8Array, places: Uint8Array, documents: number) {
    const { lengths, rowLanguages } = this.input;
    const dense = isDense(documents, lengths.length)
      ? new DensePostingsBuilder(documents, lengths.length)
      : undefined;
    const blocks =
      documents > BLOCK ? new Uint32Array(Math.ceil(documents / BLOCK) * BLOCK_FIELDS) : undefined;
    const reader = new VarintReader(body);
    const placeReader = new PositionsReader(places);
    const languages = new Map<number, number>();
    let maxFrequency = 0;
    let minLength = 0xffff_ffff;
    let row = -1;
    for (let i = 0; i < documents; i += 1) {
      const code = reader.next();
      row += (code >>> 1) + 1;
      const frequency = (code & 1) === 1 ? USUAL_FREQUENCY : reader.next();
      if (frequency > maxFrequency) maxFrequency = frequency;
      if (lengths[row]! < minLength) minLength = lengths[row]!;
      const language = rowLanguages[row]!;
      languages.set(language, (languages.get(language) ?? 0) + 1);
      if (blocks === undefined) continue;
      placeReader.skip();
      dense?.add(row, frequency, placeReader.offset);
      if ((i + 1) % BLOCK === 0 || i + 1 === documents) {
        const at = Math.floor(i / BLOCK) * BLOCK_FIELDS;
        blocks[at] = row;
        blocks[at + 1] = reader.offset;
        blocks[at + 2] = placeReader.offset;
      }
    }
    const parts =
      dense !== undefined
        ? [dense.build()]
        : blocks !== undefined
          ? [new Uint8Array(blocks.buffer), body]
          : [body];
    return { parts, maxFrequency, minLength, languages: [...languages].sort((a, b) => a[0] - b[0]) };
  }
}

/** Copies bytes to an offset; returns the offset after them. */
function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  if (end - start > LONG) to.set(from.subarray(start, end), at);
  else for (let i = start; i < end; i += 1) to[at + i - start] = from[i]!;
  return at + end - start;
}

function starts(bytes: { get(term: number): number }, terms: Uint32Array): Uint32Array {
  const offsets = new Uint32Array(terms.length + 1);
  for (let i = 0; i < terms.length; i += 1) offsets[i + 1] = offsets[i]! + bytes.get(terms[i]!);
  return offsets;
}
