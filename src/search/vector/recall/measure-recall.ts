import { nextTurn } from "../../../next-turn.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { VectorSet } from "../vector-set.js";
import { combineShares, isConclusive } from "./combine-shares.js";
import { exactNeighbours } from "./exact-neighbours.js";
import { filteredRows, type Sample } from "./recall-sample.js";
import { type SearchStep, stepKey } from "./set-recall.js";

const { selectivities } = SEARCH_DEFAULTS.certificate;
const { scans, depths, run, patiences, rowsPerPatience, graphDepths, rowsPerCandidate } =
  SEARCH_DEFAULTS.vector;
const [TOP, MORE] = [10, 100];

/** What a step found for the queries of a share. */
export interface StepHits {
  readonly step: SearchStep;
  /** Sums over the queries of the shares of the exact top 10, and top 100, that were found; and of these shares' squares. */
  readonly found10: number;
  readonly found100: number;
  readonly squares10: number;
  readonly squares100: number;
  /** Sum over the queries of the candidates that were scored. */
  readonly scored: number;
}

/** Recall of a set's steps for a share of the sample. */
export interface ShareRecall {
  readonly queries: number;
  readonly sample: Sample["of"];
  /** Number of widths of scans that were measured, the narrowest ones. */
  readonly scans: number;
  readonly recall: readonly {
    readonly selectivity: number;
    readonly rows: number;
    /** Empty where so few rows pass that all are scored exactly. */
    readonly steps: readonly StepHits[];
  }[];
}

interface MeasureOptions {
  readonly also?: readonly SearchStep[];
  readonly onAsked?: ((queries: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Measures what each step of a set's search finds of what exact search finds, for a sample of queries, at several filter
 * selectivities. The sample size bounds the cost: {@link SEARCH_DEFAULTS}.certificate. Ends with the scan from which on none could
 * be a cheaper choice for this share.
 *
 * @param least number of widths of scans to measure at least
 * @param also other steps to measure: those of an older certificate
 * @param onAsked called with each number of queries that were asked once more: exactly, at a width of scans, at a breadth of a graph
 */
export async function measureRecall(
  set: VectorSet,
  sample: Sample,
  least: number,
  { also = [], onAsked, signal }: MeasureOptions = {},
): Promise<ShareRecall> {
  const filters = selectivities.map((selectivity) => {
    const rows = filteredRows(set.count, selectivity);
    return { selectivity, rows, all: set.scoresAll(rows.length), steps: new Map<string, Hits>() };
  });
  const measured = filters.filter(({ all }) => !all);
  const queries = measured.length === 0 ? [] : sample.queries;
  const truth = await exactNeighbours(
    set,
    queries,
    measured.map(({ rows }) => rows),
    MORE,
    { signal, onAsked },
  );
  const larger = new Uint32Array(queries.length === 0 ? 0 : 2 ** 16 + 1);
  await set.loaded;
  const share = (): ShareRecall => ({
    queries: sample.queries.length,
    sample: sample.of,
    scans: done,
    recall: filters.map(({ selectivity, rows, steps }) => ({
      selectivity,
      rows: rows.length,
      steps: [...steps.values()],
    })),
  });
  let done = queries.length === 0 || set.hasGraph ? scans.length : 0;
  while (done < scans.length && (done < least || !isConclusive(combineShares([share()]), set, done))) {
    const scan = scans[done]!;
    for (const [q, query] of queries.entries()) {
      signal?.throwIfAborted();
      for (const [f, { rows, steps }] of measured.entries()) {
        const ranks = ranksOf(set.columnSums(query.vector, scan), rows, truth[f]![q]!, larger);
        const step = { by: "columns", ...scan, run } as const;
        for (const depth of depthsOf(rows.length))
          add(steps, { ...step, depth, run: 0 }, ranks, Math.min(depth, rows.length));
        const deep = runDepths(rows.length);
        if (deep.length === 0) continue;
        const { scored, ends } = await set.scoreColumns(query.vector, MORE, {
          step: { ...step, depth: deep.at(-1)!, patience: patiences.at(-1)! },
          rows,
          signal,
        });
        const places = new Map(Array.from(scored, (row, place) => [row, place]));
        const placed = truth[f]![q]!.map((row) => places.get(row) ?? scored.length);
        for (const depth of deep)
          for (const patience of patiencesOf(rows.length)) {
            const end = ends[patience - 1] ?? scored.length;
            add(steps, { ...step, depth, patience }, placed, Math.min(depth, end));
          }
      }
      onAsked?.(1);
      await nextTurn();
    }
    done += 1;
  }
  if (set.hasGraph) await measureGraph(set, queries, { filters: measured, truth, signal, onAsked });
  for (const step of also) await measureStep(set, queries, { step, measured, truth, signal });
  return share();
}

/** How many candidates steps may have that search so many rows: at least a part of them ({@link SEARCH_DEFAULTS}.vector.rowsPerCandidate). */
function depthsOf(rows: number): number[] {
  return depths.filter((depth) => depth * rowsPerCandidate >= rows);
}

/** The same of steps that score in runs: at most half of the rows, which take about as long as all. */
export function runDepths(rows: number): number[] {
  return depthsOf(rows).filter((depth) => depth > run && depth * 2 <= rows);
}

/** How many runs in a row may bring none in steps that search so many rows: the more rows, the more at least. */
export function patiencesOf(rows: number): number[] {
  const least = Math.min(rows / rowsPerPatience, patiences.at(-1)!);
  return patiences.filter((patience) => patience >= least);
}

/** Adds what a step finds that is not among those measured. */
async function measureStep(
  set: VectorSet,
  queries: Sample["queries"],
  {
    step,
    measured,
    truth,
    signal,
  }: {
    readonly step: SearchStep;
    readonly measured: readonly { readonly rows: Uint32Array; readonly steps: Map<string, Hits> }[];
    readonly truth: readonly (readonly Uint32Array[])[];
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  for (const [f, { rows, steps }] of measured.entries()) {
    if (steps.has(stepKey(step))) continue;
    for (const [q, { vector, row, hints }] of queries.entries()) {
      const limit = MORE + (row === undefined ? 0 : 1);
      const found = await set.nearest(vector, limit, { step, rows, hints, signal });
      const places = new Set(found.rows);
      const ranks = Uint32Array.from(truth[f]![q]!, (near) => (places.has(near) ? 0 : step.depth));
      add(steps, step, ranks, step.depth);
    }
  }
}

/** Adds what each breadth of a search of the graph finds. */
async function measureGraph(
  set: VectorSet,
  queries: Sample["queries"],
  {
    filters,
    truth,
    signal,
    onAsked,
  }: MeasureOptions & {
    readonly filters: readonly { readonly rows: Uint32Array; readonly steps: Map<string, Hits> }[];
    readonly truth: readonly (readonly Uint32Array[])[];
  },
): Promise<void> {
  for (const [f, { rows, steps }] of filters.entries()) {
    const passing = new Set(rows.length < set.count ? rows : []);
    const passes = (row: number) => rows.length === set.count || passing.has(row);
    for (const [q, { vector, hints }] of queries.entries()) {
      for (const depth of graphDepths) {
        signal?.throwIfAborted();
        const asked = { among: rows, hints: hints?.filter(passes), signal };
        const found = new Set(await set.graphCandidates(vector, depth, asked));
        const ranks = Uint32Array.from(truth[f]![q]!, (row) => (found.has(row) ? 0 : depth));
        add(steps, { by: "graph", breadth: 0, depth, run: 0 }, ranks, depth);
      }
      onAsked?.(1);
    }
  }
}

type Hits = { -readonly [Key in keyof StepHits]: StepHits[Key] };

/** Adds the true neighbours that a step finds which scores so many candidates: those of a lower rank. */
function add(steps: Map<string, Hits>, step: SearchStep, ranks: Uint32Array, scored: number): void {
  const key = stepKey(step);
  const hits = steps.get(key) ?? {
    step,
    found10: 0,
    found100: 0,
    squares10: 0,
    squares100: 0,
    scored: 0,
  };
  steps.set(key, hits);
  const share = (top: number) => {
    const count = Math.min(top, ranks.length);
    let found = 0;
    for (let i = 0; i < count; i += 1) if (ranks[i]! < scored) found += 1;
    return count === 0 ? 1 : found / count;
  };
  const [found10, found100] = [share(TOP), share(MORE)];
  hits.found10 += found10;
  hits.found100 += found100;
  hits.squares10 += found10 ** 2;
  hits.squares100 += found100 ** 2;
  hits.scored += scored;
}

/**
 * How many of the rows have larger sums, for each of the neighbours.
 * @param larger room for counts by sum
 */
function ranksOf(
  sums: Uint16Array,
  rows: Uint32Array,
  neighbours: Uint32Array,
  larger: Uint32Array,
): Uint32Array {
  let most = 0;
  for (let i = 0; i < rows.length; i += 1) most = Math.max(most, sums[rows[i]!]!);
  larger.fill(0, 0, most + 2);
  for (let i = 0; i < rows.length; i += 1) larger[sums[rows[i]!]!]! += 1;
  for (let sum = most - 1; sum >= 0; sum -= 1) larger[sum]! += larger[sum + 1]!;
  return neighbours.map((row) => larger[sums[row]! + 1]!);
}
