import { join } from "node:path";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { type Certificate, readCertificate } from "../certificate.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { EventLoopQueue } from "../event-loop-queue.js";
import { type IndexManifest, KEYWORD, NUMBERS, type VectorSetName } from "../index-manifest.js";
import { KeywordSegment } from "../keyword/keyword-segment.js";
import { workerAvailable } from "../start-worker.js";
import type { NearestSearch } from "../vector/nearest-search.js";
import { rowsToKeep } from "../vector/rows-to-keep.js";
import { SearchPlan } from "../vector/search-plan.js";
import { SearchThread } from "../vector/search-thread.js";
import { openSetFiles } from "../vector/set-files.js";
import type { SetToOpen } from "../vector/thread-messages.js";
import { VectorSet } from "../vector/vector-set.js";
import { readVectorSetManifest } from "../vector/vector-set-manifest.js";
import { openVectors, type Vectors } from "../vector/vectors.js";
import { DownloadedVectors } from "./downloaded-vectors.js";
import { IdTable } from "./id-table.js";
import type { VectorPlace } from "./row-vectors.js";
import { shareOut } from "./share-out.js";

/** A segment of an open index. */
export interface OpenSegment {
  /** Its first row in the index. */
  readonly first: number;
  readonly ids: IdTable;
  readonly keyword: KeywordSegment;
  /** The set used for ranking; absent if no set's embedder is available. */
  readonly ranked: NearestSearch | undefined;
  /** Generated vectors, for rows without a downloaded one. */
  readonly made: Pick<Vectors, "read">;
  readonly downloaded: Pick<DownloadedVectors, "vector">;
  /** Where the vectors are, for another process; absent for a segment in memory. */
  readonly place: Omit<VectorPlace, "first"> | undefined;
}

/** The segments of an open index. */
export interface OpenSegments {
  readonly segments: readonly OpenSegment[];
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
            openSearches(found, threads, queue, closing),
          );
    const opening = manifest.segments.map(({ name }) =>
      openFiles(join(dir, name), manifest.vectorSets[0]!.name, closing),
    );
    // Waits for those beside one that fails too: what they open has to be closed.
    const reading = Promise.allSettled(opening).then(() => Promise.all(opening));
    const [searches, files] = await bothOrNeither(searching, reading);
    let first = 0;
    const segments = files.map((file, i): OpenSegment => {
      const ranked = searches[i];
      const segment = { ...file, first, ranked, made: fromMemory(ranked, manifest, ranking) ?? file.made };
      first += manifest.segments[i]!.documentCount;
      return segment;
    });
    return { segments, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Reads generated vectors from the set that is ranked by, where it is searched in this thread and is theirs. */
function fromMemory(
  ranked: NearestSearch | undefined,
  { vectorSets }: IndexManifest,
  ranking: VectorSetName | undefined,
): OpenSegment["made"] | undefined {
  if (!(ranked instanceof VectorSet) || ranking !== vectorSets[0]?.name) return undefined;
  return { read: (row) => ranked.vector(row) };
}

/** Awaits both even if one fails, so that everything opened can be closed; then throws the first's reason. */
async function bothOrNeither<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return [await a, await b];
}

/** A thread and the sets it searches, by number. */
interface Share {
  readonly thread: SearchThread;
  readonly sets: readonly number[];
}

/** Starts the threads before reading what they open: starting one takes as long as opening everything else. */
function startThreads({ segments }: IndexManifest, closing: (() => Promise<void> | void)[]): Share[] {
  const rows = segments.map(({ documentCount }) => documentCount);
  if (!rows.some((count) => count >= SEARCH_DEFAULTS.vector.threadFrom) || !workerAvailable()) return [];
  const shares = shareOut(rows).map((sets) => {
    const thread = SearchThread.start();
    closing.push(() => thread.close());
    return { thread, sets };
  });
  // One may wait for what the other has begun.
  for (const { thread } of shares)
    void thread.over.then(() => Promise.all(shares.map(({ thread: other }) => other.close())));
  return shares;
}

async function setsToOpen(
  index: string,
  { segments }: IndexManifest,
  sets: Certificate["sets"],
  ranking: VectorSetName,
): Promise<SetToOpen[]> {
  const kept = rowsToKeep(segments.map(({ documentCount }) => documentCount));
  return Promise.all(
    segments.map(async ({ name, documentCount }, i) => {
      const dir = join(index, name, ranking);
      const recall = sets.find((certified) => certified.segment === name && certified.set === ranking);
      const shared = documentCount >= SEARCH_DEFAULTS.vector.sharedFrom;
      return { dir, manifest: await readVectorSetManifest(dir), recall, kept: kept[i]!, shared };
    }),
  );
}

async function openSearches(
  sets: readonly SetToOpen[],
  threads: readonly Share[],
  queue: EventLoopQueue,
  closing: (() => Promise<void> | void)[],
): Promise<NearestSearch[]> {
  if (threads.length > 0) return openInThreads(sets, threads);
  const open: VectorSet[] = [];
  for (const { dir, manifest, recall, kept } of sets) {
    const set = await VectorSet.open(dir, manifest, { plan: new SearchPlan(recall), queue, kept });
    closing.push(() => set.close());
    open.push(set);
  }
  return open;
}

/** Has threads open the sets. Where a set is whole, a search waits for its thread, which takes longer than all the rest of opening. */
async function openInThreads(
  sets: readonly SetToOpen[],
  threads: readonly Share[],
): Promise<NearestSearch[]> {
  const searches: NearestSearch[] = [];
  const mates = threads.length > 1 ? portsOfTwo() : [];
  const opening = threads.map(({ thread, sets: share }, i) => {
    const opened = thread.open(
      share.map((set) => sets[set]!),
      mates[i],
    );
    // The next search fails with what went wrong.
    opened.catch(() => undefined);
    for (const [at, set] of share.entries()) {
      const { manifest, recall } = sets[set]!;
      const byGraph = manifest.graph === true && new SearchPlan(recall).usesGraph;
      searches[set] = thread.search(at, { takesHints: byGraph, exchanges: manifest.codes && !byGraph });
    }
    return opened;
  });
  for (const { dir, manifest } of sets) openSetFiles(dir, manifest).close();
  if (sets.some(({ manifest }) => manifest.graph === true)) await Promise.all(opening);
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
): Promise<Omit<OpenSegment, "first" | "ranked">> {
  const closed = <T extends { close(): void }>(opened: T): T => {
    closing.push(() => opened.close());
    return opened;
  };
  const source = { dir: join(segment, made), numbers: NUMBERS[made] };
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
