/** Every tunable number of the search layer, each chosen by measurement (scripts/bench/RESULTS.md). */
export const SEARCH_DEFAULTS = {
  /** Dimensions of a stored vector. */
  dimensions: 1536,
  /** Worker threads of a build. */
  threads: 2,
  /** Megabytes of short-lived objects of a thread: what it may take it does. Answers of one that searches are small. */
  youngMb: { search: 4, tasks: 24 },
  /** A query of more terms than this is looked up in several turns of the event loop. */
  longQuery: 64,
  /** Most documents of a segment, which bounds the memory of a build. */
  segmentDocuments: 524_288,
  /** Weight of one occurrence in a field; integers. */
  fieldWeights: { title: 2, text: 1, entities: 1, comment_thread: 1, review_sample: 1 },
  /** Positions between two fields, or two comments: no phrase spans them. */
  fieldGap: 100,
  /** Prior, in documents of the whole corpus, that smooths each language's statistics. */
  languagePrior: 100,
  /** Documents, and characters, per chunk of analysis; the last document may exceed them. */
  analysis: { chunkDocuments: 4096, chunkCharacters: 4_000_000 },
  keyword: {
    /** BM25 term-frequency saturation and length normalisation (Robertson and Zaragoza 2009). */
    k1: 1.2,
    b: 0.75,
    /**
     * Documents from this share of the length at which an average word is found are long; the length that others are
     * measured by is at least this part of theirs.
     */
    longShare: 0.45,
    longWeight: 0.85,
    /** Lengths differ little up to this spread, and as those of several kinds of text from this one on; see `typicalLength`. */
    alikeSpread: 1.3,
    mixedSpread: 2,
    /** Most times of the average that the longest documents raise that length to. */
    mostTypical: 8,
    /** Half words of all texts that smooth the rates of a language's words, from which a query's language is told. */
    languageSmoothing: 3_000,
    /** A language is as likely, before any word of a query is seen, as this power of its number of documents. */
    languagePrior: 0.35,
    /**
     * Words in this share of some language's documents tell languages apart by their rates; rarer ones, the less the rarer, only by which
     * languages have them. A language with few documents seems to have this many more.
     */
    commonWords: { share: 0.05, fewDocuments: 30 },
    /** How likely a language is that does not write the letters of a word, beside one that does. */
    unwritten: 0.03,
    /** Part of a score that a document loses if the query cannot be in its language. */
    otherLanguage: 0.5,
    /** A form of a word that a language does not have counts there up to this many times as often as the word itself. */
    foreignForms: 4,
    /** Least part of a query of unknown words that parts of words in one document make up. */
    leastSupport: 0.2,
    /** Weight of question words beside others, in a language that a query is at least this likely in. */
    questionWords: { weight: 0.4, likely: 0.5 },
    /** Query weight of a kind of term, if not 1. */
    kindWeights: { character: 0.5, syllable: 0.5, compound: 0.5, affix: 0.3, variant: 0.7, joint: 0.7 },
    /** Least number of rows that affixes, first syllables and joints rescore. */
    rescored: 640,
    /**
     * Postings scored per turn of the event loop: some milliseconds. Of a long query fewer: it opens so many lists that code and files,
     * cold in a new process, take most of its time.
     */
    pausePostings: 400_000,
    pausePostingsOfLong: 50_000,
    /** Bytes of postings and positions joined at a time. */
    invertMemory: 128 * 1024 * 1024,
  },
  /** The default embedder: reflective random indexing. */
  embed: {
    /** Most features with a vector: the most frequent ones. */
    vocabulary: 262_144,
    /** Most features whose vectors keep 2 bits per dimension: those of most documents. Others keep 1. */
    fineFeatures: 65_536,
    /** Weight of each feature class: a term, the first letters of a word, two consecutive terms. */
    classWeights: [1, 0.7, 0.5],
    /** Priority of each feature class in the vocabulary, per document that contains it. */
    classPriorities: [1, 1, 0.25],
    /** Nonzero positions of an index vector. */
    positions: 8,
    /** Share of a feature's vector that comes from its documents; the rest is its index vector. */
    reflection: 0.3,
    /** Feature vectors that an open embedder keeps in memory, 1.5 kB each: those that were used last. */
    keptFeatures: 1024,
    /** Documents sampled per feature: at most, and on average. */
    sample: 1024,
    /** Bytes of document vectors per thread while fitting. */
    slabMemory: 256 * 1024 * 1024,
    /** Least documents for worker threads in fitting and embedding. */
    threadsFrom: 5_000,
    /** An index is refitted at this multiple of the documents of its last fit. */
    refitGrowth: 4 / 3,
  },
  /**
   * Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): depth, weight and constant of each ranking.
   * Keyword matches lead the first ranks; both rankings count alike later.
   */
  fusion: {
    depth: 300,
    keyword: { weight: 1, constant: 2 },
    semantic: { weight: 1.8, constant: 7 },
    /**
     * How far the default embedder's ranking keeps its weight. Its score at a rank, this far below the first, is a margin that is
     * sure beside a flat keyword ranking, among few documents, and more for each doubling of these; twice as far beside a steep one.
     * Keyword scores are steep or flat by what part of the first another rank reaches.
     */
    sure: {
      margin: 0.22,
      perDoubling: 0.03,
      few: 1_000,
      marginRank: 10,
      steep: 0.5,
      flat: 0.8,
      fallRank: 3,
      least: 0.2,
    },
  },
  /** Vector sets. */
  vector: {
    /** A vector whose length is this near to 1 is of unit length: it is not normalised. */
    unitError: 1e-6,
    /** Sets smaller than this have no codes: all their vectors are scored. */
    codesFrom: 4_096,
    /** Larger indexes are searched in a worker thread. */
    threadFrom: 16_384,
    /** Most rows of sets that are searched as one: their codes, 768 bytes a row, stand in one memory, which has 31 bits of addresses. */
    joinedRows: 2_097_152,
    /**
     * Most bytes of vectors of signed bytes that an open index keeps in memory, and most of these and the codes of all; other
     * vectors are read from the file. Of larger indexes this share of the vectors is kept.
     */
    bytesMemory: 256 * 1024 * 1024,
    memory: 416 * 1024 * 1024,
    keptShare: 0.3,
    /**
     * Steps of a search: dimensions that are scanned, and how many of them by all four bits of their codes, the others by two; and
     * candidates that are scored by their bytes. Two bits cut off the large numbers that the vectors of short texts have: of 999,926 records,
     * 256 dimensions with 64 by four bits find .9971 of the ten nearest, 160 with 80 all of them, in less time.
     */
    scans: [
      { breadth: 128, fine: 32 },
      { breadth: 160, fine: 40 },
      { breadth: 160, fine: 80 },
      { breadth: 192, fine: 96 },
      { breadth: 256, fine: 128 },
      { breadth: 384, fine: 192 },
      { breadth: 768, fine: 384 },
      { breadth: 1536, fine: 768 },
      { breadth: 1536, fine: 1536 },
    ],
    depths: [1024, 2048, 4096, 8192, 16_384],
    /**
     * Most rows of a set for each candidate of a step that scores in runs: more candidates cost next to nothing, since scoring ends before,
     * and what a few languages ask for stands far down. Of 343,964 rows 2,048 and 4,096 by 160 dimensions take 2.42 and 2.49 ms, and find
     * .9936 and .9958 of the hundred nearest.
     */
    rowsPerCandidate: 128,
    /**
     * Candidates of a run, and steps by how many runs in a row bring none among the `settled` nearest, of which recall is certified,
     * before scoring ends. Most rows of a set for each of these runs: in larger sets what rare languages have nearest stands further
     * down, and few queries of a sample are theirs. Of 343,964 rows one and four runs by 160 dimensions take 2.31 and 2.40 ms, and find
     * .952 and .970 of the hundred nearest of the group that finds least.
     */
    run: 256,
    patiences: [1, 2, 4],
    rowsPerPatience: 131_072,
    settled: 100,
    /** Steps by graphs: breadth of the search, and candidates. */
    graphDepths: [384, 512, 768, 1024, 1536, 2048],
    /** Rows that the quantizer of codes is chosen by. */
    quantizerSample: 1_024,
    /**
     * Candidates listed by their bytes where a set has floats: a multiple of what is wanted, and so many at least. Of these the first,
     * and those as near to them as bytes may differ from floats, are scored by floats; that is this many times the most that they
     * were seen to differ.
     */
    floats: { listed: 1.5, least: 192, doubt: 2 },
    /**
     * What steps take, ms: to look up two bits of a code, to select among sums, by row; to rank a candidate by its sum; to score a row by
     * its bytes, in memory and from the file, and as a candidate of columns; by its codes. Only their ratios matter. A graph that is there
     * is searched, also where exact scores are as fast; before one is built, a node counts as what it takes, by the dimensions of its codes.
     * A row and a candidate are of 1536 numbers; of fewer, these parts of theirs stay, and the others are as many as the numbers.
     */
    cost: {
      bits: 4e-8,
      sum: 1.5e-6,
      rank: 5.5e-5,
      row: 2e-4,
      readRow: 1.5e-3,
      candidate: 4.3e-4,
      readCandidate: 2.5e-3,
      rowCodes: 1e-4,
      node: 5.1e-4,
      nodeDimension: 2.4e-7,
      fixed: { row: 0.15, candidate: 0.3 },
    },
    /**
     * Read time of a vector, ms, from which reads count as disk reads; the page cache takes some thousandths.
     */
    slowRead: 0.05,
    /** Least rows for searching in two threads, and of a set that both of them load and scan. */
    secondThreadFrom: 262_144,
    sharedFrom: 131_072,
    /**
     * Sets of fewer rows get no graph unless they are told to: their scan is as fast. Rows and queries of a trial, which a larger set
     * has to pass, and the breadth of its searches.
     */
    graphTrial: { from: 98_304, rows: 8_192, queries: 32, breadth: 128 },
    /** HNSW graphs (Malkov and Yashunin 2018). */
    graph: {
      /** Links that a node chooses; others may link back to it until it has twice as many. */
      links: 24,
      /** Breadth of the search for them. */
      construction: 100,
      /** Nodes that a search begins with, all of which it scores: the layers above the base; and of the construction. */
      entries: 1024,
      firstEntries: 128,
      /** Nodes that are linked side by side, at most, and as a part of those before them: one in 2 to this power. */
      batch: 1024,
      growth: 3,
      /** Rows that a search scores for each one of its breadth. */
      visits: 12,
      /** Rows with words of the query that a search begins with, too. */
      hints: 300,
      seed: 20_261_124,
    },
  },
  /** Embedders that call a server. */
  remote: {
    /** Most texts, and characters, per request. */
    batchSize: 128,
    batchCharacters: 200_000,
    concurrency: 2,
    maxCharacters: 8_000,
    /** Bytes that a number of a vector may take in an answer. */
    bytesPerNumber: 32,
    retries: 5,
    timeoutMs: 60_000,
    backoffMs: 500,
  },
  /** Embedders that run a model in this process. */
  inProcess: {
    /** Texts per batch. */
    batchSize: 16,
    /** Vectors that are written to the cache together; a kill loses fewer. */
    cachedTogether: 128,
  },
  /** Recall certificates, measured by builds. */
  certificate: {
    /** Filter selectivities. */
    selectivities: [1, 0.1, 0.01, 0.001],
    /** Number of query vectors: of a set of fewer rows than `large`, and of a larger one. */
    queries: 128,
    queriesOfLarge: 96,
    /** The same of all sets of an index, searched together. */
    queriesOfTogether: 64,
    large: 131_072,
    /** Parts of a smaller set's sample, measured in parallel. */
    shares: 2,
    /**
     * A certificate states what the mean recall of such queries is at least, with a confidence of .99: the mean of the sample less so
     * many of its standard errors.
     */
    deviations: 2.326,
    /** Least recall@10 and @100 of a step, of columns and graphs alike; where none has it, search is exact. */
    leastRecall: { of10: 0.98, of100: 0.97 },
    /**
     * The same that a step is chosen by, where some step has it: some questions are harder than those of the sample. By .975 of the
     * hundred, Romanian questions to 319,146 records in 98 languages found .957 of them.
     */
    wantedRecall: { of10: 0.984, of100: 0.985 },
    /** How much more than the cheapest a step may take that finds more, in the ms of {@link vector.cost}: nothing that anyone notices. */
    spare: 0.2,
    seed: 20_261_120,
  },
} as const;
