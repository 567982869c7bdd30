/**
 * How sets of vectors are searched. `scan`: by their codes. `hnsw`: by graphs, where these find enough of what exact search finds.
 * `auto`: by graphs only of large sets, which a scan takes longer for, where a trial on some of their vectors says before they are
 * built, and the certificate afterwards, that they find enough.
 */
export type IndexMethod = "auto" | "scan" | "hnsw";

/** Every {@link IndexMethod}. */
export const INDEX_METHODS = ["auto", "scan", "hnsw"] as const satisfies readonly IndexMethod[];
