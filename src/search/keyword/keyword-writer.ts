import { rm } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { GrowableIntegers } from "../numbers/growable-integers.js";
import { IntegerList } from "../numbers/integer-list.js";
import { type InvertInput, writeKeywordFiles } from "./invert.js";
import type { KeywordManifest } from "./keyword-manifest.js";
import { ChunkLog, type LoggedChunk } from "./postings/chunk-log.js";
import { type InvertedChunk, movedCode } from "./postings/chunk-postings.js";
import { VarintReader, varintLength } from "./postings/varint.js";

const LOG_FILE = "postings.log";

/** Sizes of the joined postings, by term. */
export interface TermSizes {
  readonly documents: GrowableIntegers;
  readonly postingBytes: GrowableIntegers;
  readonly positionBytes: GrowableIntegers;
}

/** Keeps inverted chunks until they are joined. */
export interface PostingsLog extends Iterable<LoggedChunk> {
  append(firstRow: number, numbers: Uint32Array, chunk: InvertedChunk): void;
}

/** Collects the chunks of a segment: numbers their terms and sums up their sizes. */
export class PostingsCollector {
  private readonly terms = new Map<string, number>();
  private readonly sizes: TermSizes = {
    documents: new GrowableIntegers(),
    postingBytes: new GrowableIntegers(),
    positionBytes: new GrowableIntegers(),
  };
  /** By term: 1 + the last row that contains it. */
  private readonly nextRow = new GrowableIntegers();
  private readonly lengths = new IntegerList();
  private readonly rowLanguages = new IntegerList();
  private readonly languages = new Map<string, { number: number; documents: number; length: number }>();

  constructor(private readonly log: PostingsLog) {}

  /** Adds the documents of a chunk as the next rows, each with its language (primary subtag). */
  add(chunk: InvertedChunk, languages: readonly string[]): void {
    const firstRow = this.lengths.length;
    const numbers = new Uint32Array(chunk.terms.length);
    const reader = new VarintReader(chunk.postings);
    let at = 0;
    chunk.terms.forEach((term, i) => {
      let number = this.terms.get(term);
      if (number === undefined) {
        number = this.terms.size;
        this.terms.set(term, number);
      }
      numbers[i] = number;
      reader.offset = at;
      const code = reader.next();
      const moved = movedCode(code, firstRow - this.nextRow.get(number));
      const { documents, postingBytes, positionBytes } = this.sizes;
      documents.add(number, chunk.found[i]!);
      postingBytes.add(number, chunk.postingBytes[i]! - varintLength(code) + varintLength(moved));
      positionBytes.add(number, chunk.positionBytes[i]!);
      this.nextRow.set(number, firstRow + chunk.last[i]! + 1);
      at += chunk.postingBytes[i]!;
    });
    this.log.append(firstRow, numbers, chunk);
    this.lengths.append(chunk.lengths);
    languages.forEach((language, i) => {
      this.addLanguage(language, chunk.lengths[i]!);
    });
  }

  /**
   * What was collected, to be joined.
   * @param memory bytes of postings and positions held in memory at a time
   */
  input(memory: number = SEARCH_DEFAULTS.keyword.invertMemory): InvertInput {
    return {
      log: this.log,
      terms: this.terms,
      sizes: this.sizes,
      lengths: this.lengths.view().slice(),
      rowLanguages: Uint16Array.from(this.rowLanguages.view()),
      languages: [...this.languages].map(([language, { documents, length }]) => ({
        language,
        documents,
        length,
      })),
      memory,
    };
  }

  /** Forgets the terms: hundreds of megabytes in a large segment. */
  clear(): void {
    this.terms.clear();
  }

  private addLanguage(language: string, length: number): void {
    let entry = this.languages.get(language);
    if (entry === undefined) {
      entry = { number: this.languages.size, documents: 0, length: 0 };
      this.languages.set(language, entry);
    }
    entry.documents += 1;
    entry.length += length;
    this.rowLanguages.push(entry.number);
  }
}

/** Builds the keyword index of a segment: collects chunks of postings, then joins them. */
export class KeywordWriter {
  private readonly log: ChunkLog;
  private readonly collected: PostingsCollector;

  /**
   * Writes to an existing folder.
   * @param memory bytes of postings and positions held in memory at a time
   */
  constructor(
    private readonly dir: string,
    private readonly memory: number = SEARCH_DEFAULTS.keyword.invertMemory,
  ) {
    this.log = new ChunkLog(join(dir, LOG_FILE));
    this.collected = new PostingsCollector(this.log);
  }

  /** Adds the documents of a chunk as the next rows, each with its language (primary subtag). */
  add(chunk: InvertedChunk, languages: readonly string[]): void {
    this.collected.add(chunk, languages);
  }

  /** Writes the index and removes temporary files; the writer cannot be used afterwards. @throws the signal's reason */
  async finish(signal?: AbortSignal): Promise<KeywordManifest> {
    try {
      return await writeKeywordFiles(this.dir, this.collected.input(this.memory), signal);
    } finally {
      this.collected.clear(); // the writer of a large segment stays while its vectors are made
      await this.close();
    }
  }

  /** Removes temporary files without writing the index. */
  async close(): Promise<void> {
    this.log.close();
    await rm(join(this.dir, LOG_FILE), { force: true });
  }
}
