import { join } from "node:path";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { type Certificate, readCertificate } from "../certificate.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { EventLoopQueue } from "../event-loop-queue.js";
import { type IndexManifest, KEYWORD, LOCAL_VECTORS, type VectorSetName } from "../index-manifest.js";
import { KeywordSegment } from "../keyword/keyword-segment.js";
import { workerAvailable } from "../start-worker.js";
import { SearchPlan } from "../vector/search-plan.js";
import { SearchThread } from "../vector/search-thread.js";
import { joinSetFiles } from "../vector/set-files.js";
import { VectorSet } from "../vector/vector-set.js";
import { readVectorSetManifest } from "../vector/vector-set-manifest.js";
import { openVectors, type Vectors } from "../vector/vectors.js";
import { vectorSource } from "../vector-source.js";
import { DownloadedVectors } from "./downloaded-vectors.js";
import { IdTable } from "./id-table.js";
import { type JoinedSets, joinSets, type SetOfSegment } from "./join-sets.js";
import type { VectorPlace } from "./row-vectors.js";
import type { SearchedRows } from "./searched-rows.js";
import { shareOut, threadsFor } from "./share-out.js";

/** A segment of an open index. */
export interface OpenSegment {
  /** Its first row in the index. */
  readonly first: number;
  readonly ids: IdTable;
  readonly keyword: KeywordSegment;
  /** Generated vectors, for rows without a downloaded one. */
  readonly made: Pick<Vectors, "read" | "readRun">;
  readonly downloaded: Pick<DownloadedVectors, "vector">;
  /** Where the vectors are, for another process; absent for a segment in memory. */
  readonly place: Omit<VectorPlace, "first"> | undefined;
}

/** The segments of an open index. */
export interface OpenSegments {
  readonly segments: readonly OpenSegment[];
  /** Searches of the vectors that rank, in the order of the segments; none if no set's embedder is available. */
  readonly searches: readonly SearchedRows[];
  /** Closes their files and stops the search threads. */
  close(): Promise<void>;
}

/**
 * Opens the segments of an index for ranking by one of its vector sets, in worker threads if a set is large
 * enough.
 * @throws SearchError if a segment is incomplete.
 */
export async function openSegments(
  dir: string,
  manifest: IndexManifest,
  ranking: VectorSetName | undefined,
  queue: EventLoopQueue,
): Promise<OpenSegments> {
  const closing: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    const threads = ranking === undefined ? [] : startThreads(manifest, closing);
    const { sets } = await readCertificate(dir);
    const searching =
      ranking === undefined
        ? Promise.resolve([])
        : setsToOpen(dir, manifest, sets, ranking).then((found) =>
            openSearches(joinSets(found), threads, ranking === LOCAL_VECTORS, queue, closing),
          );
    const opening = manifest.segments.map(({ name }) =>
      openFiles(join(dir, name), manifest.vectorSets[0]!.name, closing),
    );
    // Waits for those beside one that fails too: what they open has to be closed.
    const reading = Promise.allSettled(opening).then(() => Promise.all(opening));
    const [searches, files] = await bothOrNeither(searching, reading);
    let first = 0;
    const segments = files.map((file, i): OpenSegment => {
      const made = fromMemory(searches, first, manifest, ranking) ?? file.made;
      const segment = { ...file, first, made };
      first += manifest.segments[i]!.documentCount;
      return segment;
    });
    return { segments, searches, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Reads the generated vectors of the segment that begins with a row from the set that is ranked by, where it is searched in this thread and is theirs. */
function fromMemory(
  searches: readonly SearchedRows[],
  first: number,
  { vectorSets }: IndexManifest,
  ranking: VectorSetName | undefined,
): OpenSegment["made"] | undefined {
  const own = searches.findLast((searched) => searched.first <= first);
  const set = own?.search;
  if (own === undefined || !(set instanceof VectorSet) || ranking !== vectorSets[0]?.name) return undefined;
  const offset = first - own.first;
  return {
    read: (row) => set.vector(offset + row),
    readRun: (row, count, into) => set.readRun(offset + row, count, into),
  };
}

/** Awaits both even if one fails, so that everything opened can be closed; then throws the first's reason. */
async function bothOrNeither<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return [await a, await b];
}

/** Starts the threads before reading what they open: starting one takes as long as opening everything else. */
function startThreads(
  { documentCount }: IndexManifest,
  closing: (() => Promise<void> | void)[],
): SearchThread[] {
  if (documentCount < SEARCH_DEFAULTS.vector.threadFrom || !workerAvailable()) return [];
  const threads = Array.from({ length: threadsFor(documentCount) }, () => {
    const thread = SearchThread.start();
    closing.push(() => thread.close());
    return thread;
  });
  // One may wait for what the other has begun.
  for (const thread of threads)
    void thread.over.then(() => Promise.all(threads.map((other) => other.close())));
  return threads;
}

async function setsToOpen(
  index: string,
  { segments }: IndexManifest,
  sets: Certificate["sets"],
  ranking: VectorSetName,
): Promise<SetOfSegment[]> {
  return Promise.all(
    segments.map(async ({ name }) => {
      const dir = join(index, name, ranking);
      const recall = sets.find((certified) => certified.segment === name && certified.set === ranking);
      return { dir, manifest: await readVectorSetManifest(dir), recall };
    }),
  );
}

/** @param hinted whether graphs are begun at rows with words of the query: those of the default embedder are measured so */
async function openSearches(
  sets: readonly JoinedSets[],
  threads: readonly SearchThread[],
  hinted: boolean,
  queue: EventLoopQueue,
  closing: (() => Promise<void> | void)[],
): Promise<SearchedRows[]> {
  if (threads.length > 0) return openInThreads(sets, threads, hinted);
  const open: SearchedRows[] = [];
  for (const { first, count, parts, recall, kept } of sets) {
    const search = await VectorSet.join(parts, { plan: new SearchPlan(recall), queue, kept, hinted });
    closing.push(() => search.close());
    open.push({ first, count, search });
  }
  return open;
}

/** Has threads open the sets. Where a set is whole, a search waits for its thread, which takes longer than all the rest of opening. */
async function openInThreads(
  sets: readonly JoinedSets[],
  threads: readonly SearchThread[],
  hinted: boolean,
): Promise<SearchedRows[]> {
  const searches: SearchedRows[] = [];
  const mates = threads.length > 1 ? portsOfTwo() : [];
  const shares = shareOut(
    sets.map(({ count }) => count),
    threads.length,
  );
  const opening = threads.map((thread, i) => {
    const share = shares[i]!;
    const opened = thread.open(
      share.map((set) => sets[set]!),
      mates[i],
    );
    // The next search fails with what went wrong.
    opened.catch(() => undefined);
    for (const [at, set] of share.entries()) {
      const { first, count, parts, recall } = sets[set]!;
      const byGraph = new SearchPlan(recall).usesGraph;
      const scanned = parts.some(({ manifest }) => manifest.codes) && !byGraph;
      const search = thread.search(at, { takesHints: byGraph && hinted, exchanges: scanned });
      searches[set] = { first, count, search };
    }
    return opened;
  });
  for (const { parts } of sets) joinSetFiles(parts).close();
  if (sets.some(({ recall }) => new SearchPlan(recall).usesGraph)) await Promise.all(opening);
  return searches;
}

/** The two ends of the way from one thread to another. */
function portsOfTwo(): MessagePort[] {
  const { port1, port2 } = new MessageChannel();
  return [port1, port2];
}

async function openFiles(
  segment: string,
  made: VectorSetName,
  closing: (() => Promise<void> | void)[],
): Promise<Omit<OpenSegment, "first">> {
  const closed = <T extends { close(): void }>(opened: T): T => {
    closing.push(() => opened.close());
    return opened;
  };
  const source = await vectorSource(segment, made);
  const vectors = closed(openVectors(source));
  const [ids, [keyword, downloaded]] = await bothOrNeither(
    IdTable.open(segment),
    bothOrNeither(
      KeywordSegment.open(join(segment, KEYWORD)).then(closed),
      DownloadedVectors.open(segment).then(closed),
    ),
  );
  return { ids, keyword, made: vectors, downloaded, place: { dir: segment, made: source } };
}
