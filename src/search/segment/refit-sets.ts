import { closeSync, openSync } from "node:fs";
import { mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nextTurn } from "../../next-turn.js";
import { primaryLanguage } from "../analysis/stemming.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { IndexDocument } from "../document.js";
import type { LocalModel } from "../embed/local-model.js";
import { FeatureLog } from "../fit/feature-log.js";
import { LOCAL_VECTORS } from "../index-manifest.js";
import { IntegerList } from "../numbers/integer-list.js";
import { readNumbers, withFile, writeNumbers } from "../numbers/number-file.js";
import { BYTE_VECTOR } from "../vector/byte-vectors.js";
import { VECTOR_FILES } from "../vector/vector-files.js";
import { Analysis } from "./analysis.js";
import { ChunkQueue } from "./chunk-queue.js";
import { QuerySample } from "./query-sample.js";
import type { SampledSegment } from "./write-sample.js";

/** Vectors that are moved to their places at a time. */
const MOVED = 1_024;

/** A document and its row in the index. */
export interface PlacedDocument {
  readonly row: number;
  readonly document: IndexDocument;
}

/** The documents of the rows that an index is to show, in the order in which an index of these alone would have them. Repeatable. */
export type ShownDocuments = () => AsyncIterable<readonly PlacedDocument[]>;

/** A segment of an index. */
interface Segment {
  readonly name: string;
  readonly documentCount: number;
}

/** How sets are fitted again. */
interface RefitOptions {
  readonly threads?: number;
  readonly onProgress?: (progress: {
    readonly phase: "index" | "fit" | "embed";
    readonly done: number;
    readonly total?: number;
  }) => void;
  readonly signal?: AbortSignal;
}

/**
 * Fits a new default embedder to what an index shows, and writes the vectors of all its segments, which have no local sets yet: the
 * same model and vectors as an index has that is built of these documents at once, up to the most documents of a segment. Rows that
 * are not shown have vectors of zeros.
 * @returns the segments, with queries made from their texts
 * @throws the signal's reason; the folder is then incomplete
 */
export async function refitSets(
  dir: string,
  segments: readonly Segment[],
  documents: ShownDocuments,
  model: LocalModel,
  options: RefitOptions,
): Promise<{ readonly name: string; readonly writer: SampledSegment }[]> {
  const vectorsPath = join(dir, "refit-vectors.tmp");
  const log = new FeatureLog(join(dir, "refit-features.tmp"));
  try {
    await writeFile(vectorsPath, "");
    const placed = segments.map((segment) => new PlacedSet(dir, segment));
    const rows = await readFeatures(documents, log, placed, model, options);
    await model.embed([{ writer: { dir, log, vectorsPath } }], options);
    for (const set of placed) await set.create();
    await placeVectors(vectorsPath, rows, placed, options.signal);
    return placed.map((set) => ({ name: set.name, writer: set }));
  } finally {
    log.close();
    for (const path of [vectorsPath, log.path]) await rm(path, { force: true });
  }
}

/** The local set of a segment. */
class PlacedSet implements SampledSegment {
  readonly name: string;
  readonly count: number;
  readonly vectorsPath: string;
  private readonly folder: string;
  private readonly queries = new QuerySample();

  constructor(dir: string, { name, documentCount }: Segment) {
    this.name = name;
    this.count = documentCount;
    this.folder = join(dir, name, LOCAL_VECTORS);
    this.vectorsPath = join(this.folder, VECTOR_FILES.byteVectors);
  }

  get sampleQueries(): readonly string[] {
    return this.queries.texts();
  }

  /** Takes the document of a row of the segment. */
  offer(row: number, document: IndexDocument): void {
    this.queries.offer(row, document);
  }

  /** Makes the set, of vectors of zeros. */
  async create(): Promise<void> {
    await mkdir(this.folder);
    await writeFile(this.vectorsPath, "");
    await truncate(this.vectorsPath, this.count * BYTE_VECTOR);
  }
}

/** Logs the features of documents; returns their rows. */
async function readFeatures(
  documents: ShownDocuments,
  log: FeatureLog,
  sets: readonly PlacedSet[],
  model: LocalModel,
  { threads = SEARCH_DEFAULTS.threads, onProgress, signal }: RefitOptions,
): Promise<Uint32Array> {
  const rows = new IntegerList();
  const place = placer(sets);
  const analysis = new Analysis(threads, { postings: false, features: true });
  const queue = new ChunkQueue(analysis, ({ keyword, features }) => {
    model.registerFeatures(features!);
    log.append(features!, keyword.lengths.length);
  });
  try {
    for await (const batch of documents()) {
      signal?.throwIfAborted();
      for (const { row, document } of batch) {
        rows.push(row);
        const { set, at } = place(row);
        set.offer(at, document);
        await queue.add(document, model.registerLanguage(primaryLanguage(document.lang)));
      }
      onProgress?.({ phase: "index", done: rows.length });
    }
    await queue.end();
    return rows.view();
  } finally {
    await analysis.close();
  }
}

/** Writes vectors, which stand in the order of `rows`, to the places of these rows in their sets. */
async function placeVectors(
  path: string,
  rows: Uint32Array,
  sets: readonly PlacedSet[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const place = placer(sets);
  const targets = new Map<PlacedSet, number>();
  try {
    for (const set of sets) targets.set(set, openSync(set.vectorsPath, "r+"));
    await withFile(path, "r", async (source) => {
      const block = new Uint8Array(MOVED * BYTE_VECTOR);
      for (let from = 0; from < rows.length; from += MOVED) {
        signal?.throwIfAborted();
        const some = rows.subarray(from, from + MOVED);
        readNumbers(source, from * BYTE_VECTOR, block.subarray(0, some.length * BYTE_VECTOR));
        some.forEach((row, i) => {
          const { set, at } = place(row);
          const vector = block.subarray(i * BYTE_VECTOR, (i + 1) * BYTE_VECTOR);
          writeNumbers(targets.get(set)!, at * BYTE_VECTOR, vector);
        });
        await nextTurn();
      }
    });
  } finally {
    for (const target of targets.values()) closeSync(target);
  }
}

/** Tells the set of a row, and the row's place in it. */
function placer(sets: readonly PlacedSet[]): (row: number) => { set: PlacedSet; at: number } {
  const firsts: number[] = [];
  let rows = 0;
  for (const { count } of sets) {
    firsts.push(rows);
    rows += count;
  }
  return (row) => {
    const i = firsts.findLastIndex((first) => first <= row);
    return { set: sets[i]!, at: row - firsts[i]! };
  };
}
