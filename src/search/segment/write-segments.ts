import { rm } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { DocumentSource } from "../document.js";
import { Analysis } from "./analysis.js";
import { SegmentWriter, type VectorSources } from "./segment-writer.js";

/** A segment that is being written. */
export interface WrittenSegment {
  readonly name: string;
  readonly writer: SegmentWriter;
}

/** Where segments are written. */
export interface SegmentPlace {
  /** Folder of the index. */
  readonly dir: string;
  /** Number of segments that it has. */
  readonly staying: number;
  /** Name of the last segment of the index that it extends. */
  readonly last: string | undefined;
}

/** How segments are written. */
export interface WriteOptions {
  readonly threads?: number;
  /** Called with the number of documents so far. */
  readonly onDocuments?: (documents: number) => void;
  readonly signal?: AbortSignal;
}

const SEGMENT_NAME = "segment-";

/** Writes the documents as segments, with names after the base's last one; all but the last one are finished. */
export async function writeSegments(
  { dir, staying, last }: SegmentPlace,
  documents: DocumentSource,
  sources: VectorSources,
  { signal, onDocuments, threads = SEARCH_DEFAULTS.threads }: WriteOptions,
): Promise<WrittenSegment[]> {
  const analysis = new Analysis(threads, { postings: true, features: sources.local !== undefined });
  const written: WrittenSegment[] = [];
  const first = last === undefined ? 0 : Number(last.slice(SEGMENT_NAME.length)) + 1;
  const start = async (): Promise<WrittenSegment> => {
    const name = `${SEGMENT_NAME}${String(first + written.length).padStart(4, "0")}`;
    const next = { name, writer: await SegmentWriter.create(join(dir, name), sources, analysis) };
    written.push(next);
    return next;
  };
  let done = 0;
  try {
    let current: WrittenSegment | undefined;
    for await (const batch of documents()) {
      for (let at = 0; at < batch.length; ) {
        signal?.throwIfAborted();
        if (current?.writer.count === SEARCH_DEFAULTS.segmentDocuments) {
          await current.writer.end();
          await current.writer.finish(signal);
          current = undefined;
        }
        current ??= await start();
        const room = SEARCH_DEFAULTS.segmentDocuments - current.writer.count;
        const part = batch.slice(at, at + room);
        await current.writer.add(part, signal);
        at += part.length;
        done += part.length;
        onDocuments?.(done);
      }
    }
    if (staying + written.length === 0) current = await start();
    await current?.writer.end();
    return written;
  } catch (error) {
    for (const { name, writer } of written) {
      await writer.close();
      await rm(join(dir, name), { recursive: true, force: true });
    }
    throw error;
  } finally {
    await analysis.close();
  }
}
