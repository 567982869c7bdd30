import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { EndpointCaps } from "../account/endpoint-caps.js";
import { openMemoryAccount } from "../account/open-memory-account.js";
import type { Clock } from "../clock.js";
import { checkOptions, optionsSchema } from "../contract/check-options.js";
import { parseUsd } from "../contract/money.js";
import { CallbackOption, CountOption, FlagOption, SignalOption } from "../contract/option-schemas.js";
import { type CatalogueSource, currentCatalogue } from "../contract/service/catalogue/catalogue-source.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { HANDLERS } from "../endpoints/handlers.js";
import type { LakeHandle } from "../lake/lake-handle.js";
import { nextTurn } from "../next-turn.js";
import type { Embedder } from "../search/embed/embedder.js";
import type { SearchIndex } from "../search/search-index.js";
import type { AsOfRule } from "../service/as-of-rule.js";
import { createService } from "../service/pipeline.js";
import { createCalls } from "./client.js";
import { CLIENT_DEFAULTS } from "./defaults.js";
import type { LakeQueries } from "./lake-queries.js";
import { createLocalTransport } from "./local-transport.js";
import type { OpenCalls } from "./open-calls.js";

/** Options of `LakeClient.warmUp`. */
export interface WarmUpOptions {
  /** How many searches are run, up to 10,000; default 500. */
  readonly searches?: number;
  /**
   * Whether the process that runs queries of `sql` is started, too, beside the searches; default false. It takes some 120 MB of memory
   * until the lake is closed.
   */
  readonly sql?: boolean;
  /** Called after each search with the number of those done, and of all. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** What `LakeClient.warmUp` did. */
export interface WarmUp {
  /** Searches that were run; 0 in a lake without texts. */
  readonly searches: number;
  /** Time that all took, ms. */
  readonly ms: number;
}

/** The lake that is warmed up, and how its client answers. */
export interface WarmUpSubject {
  readonly lake: LakeHandle;
  readonly catalogue: CatalogueSource;
  readonly asOf: AsOfRule;
  /** The user's own that ranks, if any: it may cost money, so it is not asked. */
  readonly embedder: Embedder | undefined;
  readonly clock: Clock;
  readonly calls: OpenCalls;
  readonly queries: Pick<LakeQueries, "sql">;
}

const OPTIONS = optionsSchema<WarmUpOptions>(() => ({
  searches: CountOption.max(10_000).optional(),
  sql: FlagOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/** How many records are read at a time, and neighbours looked for where no embedder is asked. */
const AT_ONCE = 100;
/** The words of a piece of text: from 2 to 8, as questions have. */
const LEAST_WORDS = 2;
const MOST_WORDS = 8;
/** Characters of a piece of a text that sets no spaces. */
const MOST_CHARACTERS = 60;
const UNSPACED_CHARACTERS = 12;

/**
 * Searches a lake for pieces of the texts of its own records, evenly spread, so that later searches find its vectors in memory and their
 * code compiled, and lists items of one platform, so that later calls find its tables open. An account of its own is charged, which ends
 * with this; an embedder of the user's own is not asked.
 * @throws UsageError `invalid_options`; LakeError `lake_closed`; the signal's reason; as a search does
 */
export async function warmUp(subject: WarmUpSubject, options: WarmUpOptions): Promise<WarmUp> {
  checkOptions(OPTIONS, options, "warmUp");
  const { searches = CLIENT_DEFAULTS.warmUpSearches, sql = false, onProgress, signal } = options;
  const { lake, catalogue, asOf, clock, embedder, calls, queries } = subject;
  const began = performance.now();
  const account = openMemoryAccount({ openingBalance: parseUsd("1000000"), limits: "off", clock });
  const vectorsOnly = embedder === undefined ? (index: SearchIndex) => index : unasked;
  const service = createService({
    lake: {
      use: (work, given) =>
        lake.use(({ corpus, index }) => work({ corpus, index: vectorsOnly(index) }), given),
    },
    account,
    caps: new EndpointCaps(clock),
    catalogue,
    handlers: HANDLERS,
    clock,
    asOf,
    limits: "off",
    ids: randomUUID,
  });
  const { call, search } = createCalls(catalogue, createLocalTransport(service, account.sessionKey(["*"])));
  const callAll = async () => {
    let done = 0;
    const pieces = await piecesOf(lake, searches, signal);
    for (const query of pieces) {
      await nextTurn(); // between calls of others, which may be answered meanwhile
      calls.assertOpen();
      // The window that is asked for by default, too: it leaves other candidates.
      await search(done % 2 === 0 ? { query, freshness: "90d" } : { query }, { signal });
      done += 1;
      onProgress?.(done, pieces.length);
    }
    for (const { id } of currentCatalogue(catalogue).filter(isPlainList)) {
      calls.assertOpen();
      if (!(await call(id, {}, { signal })).meta.empty) break;
    }
    return done;
  };
  try {
    const [done] = await Promise.all([callAll(), sql ? queries.sql("SELECT 1 AS one", [], { signal }) : []]);
    return { searches: done, ms: performance.now() - began };
  } finally {
    await account.close();
  }
}

/** Whether an endpoint lists what a platform has, and needs no parameter. */
function isPlainList({ platform, params }: EndpointSpec): boolean {
  return platform !== undefined && params.safeParse({}).success;
}

/** Pieces of the texts of as many records, from the whole lake. */
async function piecesOf(lake: LakeHandle, count: number, signal: AbortSignal | undefined): Promise<string[]> {
  return lake.use(async ({ corpus }) => {
    const rows = corpus.live.rows();
    if (rows.length === 0) return [];
    const chosen = Array.from({ length: count }, (_, i) => rows[Math.floor((i * rows.length) / count)]!);
    const pieces: string[] = [];
    for (let first = 0; first < chosen.length; first += AT_ONCE) {
      signal?.throwIfAborted();
      for (const { title, text } of await corpus.records(chosen.slice(first, first + AT_ONCE))) {
        const piece = pieceOf(text ?? title ?? "", pieces.length);
        if (piece !== "") pieces.push(piece);
      }
    }
    return pieces;
  }, signal);
}

/** Some words of a text, other ones for each number. */
function pieceOf(text: string, number: number): string {
  const words = text.split(/\s+/u).filter((word) => word !== "");
  const count = LEAST_WORDS + (number % (MOST_WORDS - LEAST_WORDS + 1));
  const first = (number * MOST_WORDS) % Math.max(1, words.length - count);
  const piece = words.slice(first, first + count).join(" ");
  return piece.length <= MOST_CHARACTERS ? piece : [...piece].slice(0, UNSPACED_CHARACTERS).join("");
}

/** An index that ranks by words, and looks for neighbours of its own rows: no embedder is asked for the vector of a query. */
function unasked(index: SearchIndex): SearchIndex {
  const rank: SearchIndex["rank"] = async (query, candidates, options) => {
    const ranking = await index.rank(query, candidates, { ...options, mode: "keyword" });
    const [vector] = await index.vectors(ranking.rows.slice(0, 1));
    if (vector !== undefined) await index.nearest(vector, candidates, { limit: AT_ONCE });
    return ranking;
  };
  return Object.create(index, { rank: { value: rank } }) as SearchIndex;
}
