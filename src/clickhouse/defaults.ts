/** Defaults of lakes on ClickHouse. */
export const CLICKHOUSE_DEFAULTS = {
  /** Version of the tables. */
  schemaVersion: 8,
  /** The oldest version that is read; what it lacks is done without. */
  readableVersion: 2,
  /** The first version whose index of vectors is used. */
  graphVersion: 5,
  /** The first version that can take in revisions of slices. */
  revisionVersion: 6,
  /** The first version that can take in price points apart from their products, and knows the order of what shows items otherwise. */
  pricesVersion: 7,
  /** The first version that can have the lake's own embedder refitted. */
  fitVersion: 8,
  /** Approximate vector search by the server's index (HNSW). */
  graph: {
    /** Candidates from which on scoring each one takes too long. Fewer are scored one by one, and a lake of fewer has no index. */
    rows: 524_288,
    /** Rows that the index is asked for at least: its distances are coarse, and the nearest are among as many. */
    depth: 300,
    /**
     * Most rows that are fetched of the index: where a filter needs more, its rows are scored one by one: of a third of the lake the
     * index found .964 of the ten nearest.
     */
    fetched: 800,
    /** Rows that are fetched beyond those that the share of the filter lets expect. */
    spare: 1.5,
    /** Breadth of the search. */
    breadth: 1_000,
    /**
     * Rows with words of the query that are scored beside what the index finds: of a million real records that finds .863 of the ten
     * nearest of pieces of texts, and .996 with them.
     */
    hints: 1_500,
    /** Links of a vector, and breadth while the graph is built. */
    links: 64,
    buildBreadth: 256,
  },
  /** Ranking by the vectors of an embedder of the user's own. */
  own: {
    /** Rows that are asked for beyond those that are wanted: a few may change places when they are scored exactly. */
    spare: 64,
    /** Most rows that are asked for because they score alike. */
    most: 16_384,
    /** Least difference of scores that no order of additions changes, as part of the greatest score. */
    error: 1e-9,
  },
  /** Longest time that a server may be silent on a request that reads a lake, in milliseconds; `?timeout=` of an address, in seconds. */
  readMs: 60_000,
  /** The same for a request that loads a table or sorts one out. */
  loadMs: 600_000,
  /** Most bytes of the signs of life that a server sends before it answers such a request. */
  progressBytes: 1024 * 1024,
  /** Longest time that a server takes to connect to another one of its cluster. */
  connectMs: 10_000,
  /** Bytes that are sent at a time. */
  sendBytes: 4 * 1024 * 1024,
  /** Rows that the server takes for one part while it loads, by kind of table: it holds them in memory. */
  blockRows: { narrow: 1_048_576, wide: 16_384 },
  /** Bytes from which on the server sorts on its disk what an embedder is fitted to. */
  sortBytes: 256 * 1024 * 1024,
  /** Longest text of a statement: lists of loads and slices stand in it. */
  statementBytes: 16 * 1024 * 1024,
  /** Bytes of a row of the table of models. */
  modelPartBytes: 8 * 1024 * 1024,
  /** Records of loads of which one request reads together what filters ask: the server sorts them. */
  columnRows: 262_144,
  /** Records that are read by one request. */
  recordsAtOnce: 1000,
  /** Records whose prices and quotes are looked at by one request. */
  shownAtOnce: 4000,
  /** Terms of queries of which a view keeps in how many documents they are. */
  countedTerms: 16_384,
  /**
   * Hidden rows of a kind that statements name: so many that lie alone, and so many runs of them. A subquery of the table of hidden rows
   * costs two servers 20 ms of processor time even where it finds none. Where more are hidden, and more than `gathered`, a statement for few rows looks
   * for what is hidden of these: on two servers a look-up takes 50 ms so, and 75 to 95 by a set of 48,000.
   */
  hidden: { singles: 1024, ranges: 32, gathered: 16_384 },
  /** Candidates of a caller's own set that a request names one by one. */
  namedRows: 10_000,
  /** Times that an answer is made again because something was removed meanwhile. */
  attempts: 8,
  /** Writers of one lake take turns, by leases; in milliseconds. */
  lease: {
    /** How long one is held without being renewed. */
    holdMs: 60_000,
    /** How often it is renewed. */
    renewMs: 10_000,
    /** What has to be left of it when a load is made visible, and how long that may take. */
    marginMs: 15_000,
    /** How long a writer waits for its turn, and how often it looks. */
    waitMs: 120_000,
    lookMs: 250,
  },
  /** How long a removal waits for answers that were checked before it to be on their way, in milliseconds. */
  settleMs: 250,
  /** What `doctor` finds worth saying. */
  diagnosis: {
    /** Difference of a server's clock from this machine's, in milliseconds. */
    clockMs: 2000,
    /** Share of a server's disks that is free. */
    freeShare: 0.1,
    /** Version of ClickHouse that the tests run. */
    tested: [26, 7],
  },
  /** Most characters of the server's account of a query that fails. */
  messageCharacters: 600,
  /** Most rows of a record batch. */
  batchRows: 2048,
  /** Records that one request of an export reads: without their vectors, and with them. */
  exportRows: { plain: 32_768, vectors: 4096 },
  /** Settings of answers in Arrow. */
  arrow: {
    output_format_arrow_compression_method: "none",
    output_format_arrow_string_as_string: 1,
    output_format_arrow_fixed_string_as_fixed_byte_array: 0,
    // Blocks are what the server holds of an answer, and what a reader gets at a time.
    max_block_size: "8192",
  },
  /** Settings of queries of users, which they cannot change. */
  confined: {
    readonly: "1",
    // An abandoned query ends: only those that read alone can.
    cancel_http_readonly_queries_on_client_close: 1,
    timeout_overflow_mode: "throw",
    // Limits of memory hold: nothing is put on the server's disk.
    max_bytes_before_external_group_by: "0",
    max_bytes_before_external_sort: "0",
    max_bytes_ratio_before_external_group_by: 0,
    max_bytes_ratio_before_external_sort: 0,
    max_query_size: "4000000",
    // Subqueries mean the whole lake on shards.
    distributed_product_mode: "global",
    skip_unavailable_shards: 0,
    // As SQL has it, and queries of a lake in a folder: what an outer join lacks, and a sum of nothing, is NULL.
    join_use_nulls: 1,
    aggregate_functions_null_for_empty: 1,
    group_by_use_nulls: 1,
    cast_keep_nullable: 1,
    union_default_mode: "DISTINCT",
    intersect_default_mode: "DISTINCT",
    except_default_mode: "DISTINCT",
    session_timezone: "UTC",
    cast_string_to_date_time_mode: "best_effort",
    output_format_json_escape_forward_slashes: 0,
  },
} as const;

/** Rows that the tables keep together: a look-up reads as many. */
export const GRANULE_ROWS = 256;
