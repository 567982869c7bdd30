import { join } from "node:path";
import { RowSet } from "../contract/lake/row-set.js";
import { SEARCH_DEFAULTS } from "./defaults.js";
import { LOCAL_VECTORS, readIndexManifest } from "./index-manifest.js";
import { openIndex } from "./open-index.js";
import { readSampleFiles } from "./vector/recall/sample-files.js";
import { suffices } from "./vector/search-plan.js";

const { dimensions, fusion } = SEARCH_DEFAULTS;
const { queriesOfTogether } = SEARCH_DEFAULTS.certificate;
const [TOP, MORE] = [10, 100];

/** What searches of all sets of an index find of what exact search finds. */
export interface TogetherRecall {
  readonly queries: number;
  /** Mean shares of the ten and the hundred nearest rows of the index that are found. */
  readonly recall10: number;
  readonly recall100: number;
  /** Whether that is as much as a certificate asks of one set. */
  readonly sufficient: boolean;
}

/** Options of {@link measureTogether}. */
export interface MeasureTogetherOptions {
  /** Called with how many queries were asked, of how many. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Measures how much of the nearest rows the sets of an index find together, with queries of each set's sample: a set of several
 * ends sooner than alone, see `score-exchange.ts`. Undefined for an index of a single segment, whose certificate says so.
 * @throws SearchError if the index cannot be read; the signal's reason
 */
export async function measureTogether(
  dir: string,
  { signal, onProgress }: MeasureTogetherOptions = {},
): Promise<TogetherRecall | undefined> {
  const { segments } = await readIndexManifest(dir);
  if (segments.length < 2) return undefined;
  const samples = await Promise.all(segments.map(({ name }) => queriesOf(join(dir, name, LOCAL_VECTORS))));
  const asked = spread(samples.flat(), queriesOfTogether);
  if (asked.length === 0) return undefined;
  const index = await openIndex(dir);
  try {
    const rows = RowSet.all(index.documentCount);
    const limit = fusion.depth;
    let [recall10, recall100] = [0, 0];
    for (const [i, query] of asked.entries()) {
      onProgress?.(i, asked.length);
      const exact = await index.nearest(query, rows, { limit: MORE, exact: true, signal });
      const found = new Set(await index.nearest(query, rows, { limit, signal }));
      const share = (top: number) => shareOf(exact.slice(0, top), found);
      recall10 += share(TOP) / asked.length;
      recall100 += share(MORE) / asked.length;
    }
    onProgress?.(asked.length, asked.length);
    return { queries: asked.length, recall10, recall100, sufficient: suffices({ recall10, recall100 }) };
  } finally {
    await index.close();
  }
}

/** The queries that were made from the texts of a set; none where there are none. */
async function queriesOf(set: string): Promise<Float32Array[]> {
  const { vectors = new Float32Array() } = (await readSampleFiles(set)) ?? {};
  const count = vectors.length / dimensions;
  return Array.from({ length: count }, (_, i) => vectors.subarray(i * dimensions, (i + 1) * dimensions));
}

/** At most so many items, evenly spread. */
function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]!);
}

/** The share of rows that were found. */
function shareOf(rows: readonly number[], found: ReadonlySet<number>): number {
  return rows.length === 0 ? 1 : rows.filter((row) => found.has(row)).length / rows.length;
}
