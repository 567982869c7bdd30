/** Every tunable number of the search layer, each chosen by measurement (scripts/bench/RESULTS.md). */
export const SEARCH_DEFAULTS = {
  /** Numbers in a stored vector. */
  dimensions: 1536,
  /** Worker threads of a build. */
  threads: 2,
  /** Documents of a segment, at most: what bounds the memory of a build. */
  segmentDocuments: 524_288,
  /** How much one occurrence in a field counts; whole numbers. */
  fieldWeights: { title: 2, text: 1, entities: 1, comment_thread: 1, review_sample: 1 },
  /** Positions between two fields, or two comments: no phrase spans them. */
  fieldGap: 100,
  /** Documents of the whole corpus that a language's own are smoothed with. */
  languagePrior: 100,
  /** Documents, and characters of texts, that are analysed at a time: a chunk holds no more, but for its last document. */
  analysis: { chunkDocuments: 4096, chunkCharacters: 4_000_000 },
  keyword: {
    /** BM25 term-frequency saturation and length normalisation (Robertson and Zaragoza 2009). */
    k1: 1.2,
    b: 0.75,
    /** How much a term of a kind counts in a query, where that is not 1. */
    kindWeights: { character: 0.5, syllable: 0.5, compound: 0.5, affix: 0.3 },
    /** Rows whose order affixes rescore, at least. */
    rescored: 300,
    /** Postings added up between two turns of the event loop: some milliseconds' work. */
    pausePostings: 400_000,
    /** Bytes of postings and positions that are put together at a time. */
    invertMemory: 128 * 1024 * 1024,
  },
  /** The default embedder: reflective random indexing. */
  embed: {
    /** Features that get a vector of their own, at most: the most frequent ones. */
    vocabulary: 262_144,
    /** How much a feature of each class weighs: a term, a word's first letters, two terms in a row. */
    classWeights: [1, 0.7, 0.5],
    /** How much a feature of each class is worth a place in the vocabulary, a document that holds it. */
    classPriorities: [1, 1, 0.25],
    /** Positions that an index vector has. */
    positions: 8,
    /** Share of a feature's vector that its documents make up; the rest is its index vector. */
    reflection: 0.3,
    /** Documents that a feature's vector is made of, at most and on average: a sample of those that hold it. */
    sample: 1024,
    /** Bytes of documents' vectors that a thread holds while it fits. */
    slabMemory: 256 * 1024 * 1024,
    /** Documents from which fitting and embedding take worker threads. */
    threadsFrom: 5_000,
    /** An index is fitted anew when it holds this many times the documents that it was fitted to. */
    refitGrowth: 4 / 3,
  },
  /**
   * Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): how deep each ranking is taken; weight and constant of each.
   * Words that match rule the first places, both rankings alike the later ones.
   */
  fusion: {
    depth: 300,
    keyword: { weight: 1, constant: 2 },
    semantic: { weight: 1.8, constant: 7 },
  },
  /** Vector sets. */
  vector: {
    /** Sets smaller than this have no binary codes: their codes are all looked at. */
    binaryCodesFrom: 16_384,
    /** Bytes of 4-bit codes that a set may keep in memory, to choose among candidates by them. */
    codesMemory: 2_000_000_000,
    /** Candidates that are re-ranked by their 1536-d scores: at least, and of those that binary codes chose. */
    rerankDepth: 256,
    rerankShare: 1 / 16,
    /** Time of reading a vector, ms, from which the disk answers and not the page cache (which takes some thousandths). */
    slowRead: 0.05,
    /** Rows from which segments are searched in two threads side by side. */
    secondThreadFrom: 262_144,
    /** Rows scored by codes between two turns of the event loop. */
    codeRun: 32_768,
    /** Sets smaller than this have no graph: a scan of the binary codes is as fast, opens sooner and takes less memory. */
    graphFrom: Number.POSITIVE_INFINITY,
    /** Dimensions of graphs, at most; a multiple of 16. */
    reducedDims: 384,
    /** Vectors that the projection to these is fitted to; a multiple of 4. */
    projectionSample: 4_096,
    /** Share of a set's rows that must be candidates for its graph to answer; among fewer the codes are scanned. */
    graphShare: 0.75,
    /** Rows in one graph, at most; a larger set has several, built side by side. */
    graphRows: 262_144,
    /** Links a node, and breadth of the search for them (Malkov and Yashunin 2018). */
    graphM: 16,
    graphEfConstruction: 200,
    graphSeed: 100,
  },
  /** Embedders that ask a server. */
  remote: {
    /** Texts, and characters, in a request, at most. */
    batchSize: 128,
    batchCharacters: 200_000,
    concurrency: 2,
    maxCharacters: 8_000,
    retries: 5,
    timeoutMs: 60_000,
    backoffMs: 500,
  },
  /** Embedders that run a model in this process. */
  inProcess: {
    /** Texts run at a time. */
    batchSize: 16,
  },
  /** Recall certificates: what a build measures of its own search. */
  certificate: {
    /** Shares of the rows that filters let through. */
    selectivities: [1, 0.1, 0.01, 0.001],
    /** Vectors of a set that are looked for: of a set of fewer rows than `large`, and of a larger one. */
    queries: 64,
    queriesOfLarge: 32,
    large: 131_072,
    /** Shares of the sample of a smaller set that are measured side by side. */
    shares: 2,
    /** Recall@10 and @100 below which a search goes deeper. */
    leastRecall: 0.98,
    /** Depth beyond which search is exact. */
    deepest: 16_384,
    seed: 20_261_120,
  },
} as const;
