/**
 * How sets of vectors are searched. `scan`: by their codes. `hnsw`: by graphs, where these find enough of what exact search finds.
 * `auto`: by graphs only where they find it faster than a scan, as a trial on some of a large set's vectors says before they are
 * built, and the certificate afterwards.
 */
export type IndexMethod = "auto" | "scan" | "hnsw";

/** Every {@link IndexMethod}. */
export const INDEX_METHODS = ["auto", "scan", "hnsw"] as const satisfies readonly IndexMethod[];
