import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { ByteSink } from "./byte-sink.js";
import type { LoggedChunk } from "./chunk-log.js";
import { movedCode } from "./chunk-postings.js";
import { DensePostingsBuilder, isDense } from "./dense-postings.js";
import { BLOCK, BLOCK_FIELDS, KEYWORD_FILES, KEYWORD_FORMAT, USUAL_FREQUENCY } from "./format.js";
import type { KeywordManifest } from "./keyword-manifest.js";
import type { TermSizes } from "./keyword-writer.js";
import { TermDictionaryBuilder } from "./term-dictionary.js";
import { VarintReader, writeVarint } from "./varint.js";

/** Terms finished per turn of the event loop. */
const TERMS_A_TURN = 4096;
/** Longer copies use `set`. */
const LONG = 64;

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
 */
export async function invertChunks(
  input: InvertInput,
  out: { readonly postings: ByteTarget; readonly positions: ByteTarget },
): Promise<Uint8Array> {
  const { terms } = input;
  const dictionary = new TermDictionaryBuilder(terms.size);
  const names = terms.keys();
  for (let first = 0; first < terms.size; ) {
    const range = new TermRange(input, first);
    await range.fill();
    for (let term = first; term < range.end; term += 1) {
      range.finish(term, names.next().value!, { ...out, dictionary });
      if (term % TERMS_A_TURN === 0) await turn();
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

/** Joins the chunks of a log into the files of a keyword index, as {@link invertChunks} does. */
export async function writeKeywordFiles(dir: string, input: InvertInput): Promise<KeywordManifest> {
  const { lengths, rowLanguages } = input;
  const postings = new ByteSink(join(dir, KEYWORD_FILES.postings));
  let positions: ByteSink | undefined;
  let dictionary: Uint8Array;
  try {
    positions = new ByteSink(join(dir, KEYWORD_FILES.positions));
    dictionary = await invertChunks(input, { postings, positions });
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

/** The postings of the terms from `first` to before `end`, under construction. */
class TermRange {
  readonly end: number;
  private readonly postingStart: Uint32Array;
  private readonly positionStart: Uint32Array;
  private readonly postings: Uint8Array;
  private readonly positions: Uint8Array;

  constructor(
    private readonly input: InvertInput,
    private readonly first: number,
  ) {
    const { postingBytes, positionBytes } = input.sizes;
    let bytes = 0;
    let end = first;
    while (end < input.terms.size) {
      bytes += postingBytes.get(end) + positionBytes.get(end);
      if (bytes > input.memory && end > first) break;
      end += 1;
    }
    this.end = end;
    this.postingStart = starts(postingBytes, first, end);
    this.positionStart = starts(positionBytes, first, end);
    this.postings = new Uint8Array(this.postingStart.at(-1)!);
    this.positions = new Uint8Array(this.positionStart.at(-1)!);
  }

  async fill(): Promise<void> {
    const { first, end, postings, positions } = this;
    const postingAt = this.postingStart.slice();
    const positionAt = this.positionStart.slice();
    const nextRow = new Uint32Array(end - first);
    for (const chunk of this.input.log) {
      await turn();
      const reader = new VarintReader(chunk.postings);
      let [postingFrom, positionFrom] = [0, 0];
      for (let i = 0; i < chunk.numbers.length; i += 1) {
        const postingEnd = postingFrom + chunk.postingBytes[i]!;
        const positionEnd = positionFrom + chunk.positionBytes[i]!;
        const slot = chunk.numbers[i]! - first;
        if (slot >= 0 && slot < nextRow.length) {
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
    name: string,
    out: { postings: ByteTarget; positions: ByteTarget; dictionary: TermDictionaryBuilder },
  ): void {
    const slot = term - this.first;
    const body = this.postings.subarray(this.postingStart[slot]!, this.postingStart[slot + 1]!);
    const places = this.positions.subarray(this.positionStart[slot]!, this.positionStart[slot + 1]!);
    const documents = this.input.sizes.documents.get(term);
    const { parts, maxFrequency, minLength, languages } = this.describe(body, places, documents);
    const postingsAt = out.postings.size;
    for (const part of parts) out.postings.write(part);
    out.dictionary.add(name, {
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
    const placeReader = new VarintReader(places);
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
      for (let skip = placeReader.next(); skip > 0; skip -= 1) placeReader.next();
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

function starts(bytes: { get(term: number): number }, first: number, end: number): Uint32Array {
  const offsets = new Uint32Array(end - first + 1);
  for (let i = 0; i < end - first; i += 1) offsets[i + 1] = offsets[i]! + bytes.get(first + i);
  return offsets;
}
