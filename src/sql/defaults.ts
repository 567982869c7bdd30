/** Default limits of queries. */
export const SQL_DEFAULTS = {
  /** Milliseconds until a query is interrupted. */
  timeoutMs: 30_000,
  /** Memory of the engine; it never spills to disk. */
  memoryLimit: "1GB",
  /** Maximum characters or items that one call may create by its arguments alone. */
  valueItems: 65_536,
  /** Maximum product of a text's length and its replacement's length. */
  replacedCharacters: 67_108_864,
  /** Maximum characters of a query. */
  textCharacters: 1_000_000,
  /** Maximum depth of brackets in a query. */
  textNesting: 250,
  /** Most tables of the caller's own in a query. */
  ownTables: 16,
  /** Bytes of a text file of the caller's own up to which the types of its columns are found in all of it; else in its first rows. */
  wholeFileBytes: 33_554_432,
  /** Bytes of a compressed file that count for one of such a file. */
  compressedRatio: 8,
  /** Bytes of a CSV file that are looked at for its first line. */
  csvHeadBytes: 65_536,
  /** Most searches in a query. */
  searches: 16,
  /** Records that a search finds at most, where the query names no number, and the largest such number. */
  found: 100,
  foundAtMost: 10_000,
  /** Records that are looked at for keys of `extra`, and the share of them that has a key which becomes a column. */
  extraSample: 10_000,
  extraShare: 0.005,
  /** Most columns for keys of `extra`. */
  extraColumns: 64,
  /** Maximum number of keywords in a query that each add a level or a query to its tree. */
  textParts: 2_000,
} as const;

/** Numbers of the processes that run queries. */
export const PROCESS_DEFAULTS = {
  /**
   * Most processes of a lake; streams that are not read on keep theirs, until another query needs one and nothing was taken of them for
   * `readerMs`.
   */
  most: 16,
  readerMs: 30_000,
  /** Fewest queries that compute at a time; else as many as there are cores. */
  fewestAtATime: 2,
  /** Milliseconds after which a process beyond the first ends when it has nothing to do. */
  idleMs: 5_000,
  /** Milliseconds that an interrupted query has to end before its process is killed. */
  graceMs: 200,
  /** The same while the process starts or opens its engine, which a query that is given up leaves to the next. */
  startGraceMs: 10_000,
  /** Batches that a query makes ahead of its reader. */
  ahead: 2,
  /** Resident bytes that a process may take beyond its start and the memory limit: threads, code, results on their way. */
  overheadBytes: 64_000_000,
  /** Milliseconds after its time-out at which a process ends itself, if its parent has not. */
  lateMs: 500,
} as const;
