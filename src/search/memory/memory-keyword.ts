import { MemoryBytes } from "../../files/readable-bytes.js";
import { type ByteTarget, invertChunks, keywordManifestOf } from "../keyword/invert.js";
import { KeywordSegment } from "../keyword/keyword-segment.js";
import { PostingsCollector, type PostingsLog } from "../keyword/keyword-writer.js";
import type { LoggedChunk } from "../keyword/postings/chunk-log.js";
import type { InvertedChunk } from "../keyword/postings/chunk-postings.js";

/** A keyword index of documents in memory, of the same bytes as one on disk. */
export class MemoryKeywordBuilder {
  private readonly collected = new PostingsCollector(new MemoryLog());

  /** Adds the documents of a chunk as the next rows, each with its language (primary subtag). */
  add(chunk: InvertedChunk, languages: readonly string[]): void {
    this.collected.add(chunk, languages);
  }

  /** Joins the chunks. */
  async finish(): Promise<KeywordSegment> {
    const input = this.collected.input(Number.POSITIVE_INFINITY);
    const postings = new MemoryTarget();
    const positions = new MemoryTarget();
    const terms = await invertChunks(input, { postings, positions });
    return KeywordSegment.of({
      manifest: keywordManifestOf(input),
      lengths: input.lengths,
      languages: input.rowLanguages,
      terms,
      postings: new MemoryBytes(postings.bytes()),
      positions: new MemoryBytes(positions.bytes()),
    });
  }
}

class MemoryLog implements PostingsLog {
  private readonly chunks: LoggedChunk[] = [];

  append(firstRow: number, numbers: Uint32Array, chunk: InvertedChunk): void {
    const { last, postingBytes, positionBytes, postings, positions } = chunk;
    this.chunks.push({ firstRow, numbers, last, postingBytes, positionBytes, postings, positions });
  }

  [Symbol.iterator](): Iterator<LoggedChunk> {
    return this.chunks[Symbol.iterator]();
  }
}

class MemoryTarget implements ByteTarget {
  private readonly parts: Uint8Array[] = [];
  size = 0;

  write(bytes: Uint8Array): void {
    this.parts.push(bytes.slice());
    this.size += bytes.length;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.parts);
  }
}
