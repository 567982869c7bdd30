import { LakeError } from "../contract/errors.js";
import type { RowSet } from "../contract/lake/row-set.js";
import type { QueryTerm, QueryTerms } from "../search/analysis/query-terms.js";
import { combine } from "../search/combine-rankings.js";
import { SEARCH_DEFAULTS } from "../search/defaults.js";
import type { CandidateRows } from "../search/document.js";
import type { Embedder } from "../search/embed/embedder.js";
import { type QueryEmbedders, queryVector } from "../search/query-vector.js";
import {
  type NearestRows,
  NO_PHRASE,
  notAtHand,
  type Ranking,
  type RankMode,
  type RankOptions,
  type SearchIndex,
} from "../search/search-index.js";
import type { RankedRows } from "../search/sorted-rows.js";
import { readByteVector } from "../search/vector/byte-vectors.js";
import type { Connection } from "./connection.js";
import type { FittedVectors } from "./fit.js";
import type { OwnSet } from "./own-set.js";
import type { Conditions } from "./query/conditions.js";
import type { FoundRow, KeywordRanking, WordRows } from "./query/keyword-ranking.js";
import { phraseCondition } from "./query/phrase-condition.js";
import type { RowPlaces } from "./query/row-places.js";
import type { VectorRanking } from "./query/vector-ranking.js";
import { refuseRemoved } from "./refuse-removed.js";
import { RowBinaryReader } from "./row-binary-reader.js";
import { SqlParameters } from "./sql-text.js";
import { clusterUnsupported } from "./unsupported.js";

const { dimensions, fusion } = SEARCH_DEFAULTS;
const NOTHING: readonly FoundRow[] = [];
const NO_WORDS: Promise<WordRows> = Promise.resolve({ ranked: NOTHING, matching: NOTHING });
/** Bytes of the scale behind the numbers of a stored vector. */
const SCALE_BYTES = 4;

/** Parts of a {@link ClickHouseIndex}. */
export interface ClickHouseIndexParts {
  readonly connection: Connection;
  readonly conditions: Conditions;
  readonly places: RowPlaces;
  /** Rows that were removed from the lake. */
  readonly removed: RowSet;
  readonly words: KeywordRanking;
  readonly vectors: Pick<VectorRanking, "hintsFor" | "nearest">;
  /** Where the vectors of the lake's own embedder are. */
  readonly stored: FittedVectors;
  /** The embedder by whose vectors is ranked. */
  readonly embedder: Pick<Embedder, "id" | "dims" | "embedQuery">;
  /** That embedder where it is the default one. */
  readonly fitted: QueryEmbedders["fitted"];
  /** The set of an embedder of the user's own, if the lake has one: its vectors are those of records that came without. */
  readonly own: OwnSet | undefined;
  /** Whether any record may have come with a vector. */
  readonly given: boolean;
  readonly analyze: (query: string) => QueryTerms;
}

/**
 * The search index of a lake on ClickHouse. The server scores words and vectors over all records that pass the filter; this process
 * analyses and embeds the query, and fuses both rankings by the same code as a lake on disk.
 */
export class ClickHouseIndex implements SearchIndex {
  /** None: vectors are on the server. */
  readonly vectorPlaces: SearchIndex["vectorPlaces"] = [];

  constructor(private readonly parts: ClickHouseIndexParts) {}

  get documentCount(): number {
    return this.parts.places.count;
  }

  get embedderId(): string {
    return this.parts.own?.embedder ?? this.parts.embedder.id;
  }

  /** The table with the vectors of records that came without one, and a condition on its rows. */
  get made(): { readonly table: "own_vectors" | FittedVectors["table"]; readonly of: string } {
    return this.parts.own === undefined ? this.parts.stored : { table: "own_vectors", of: "1" };
  }

  async rank(query: string, candidates: CandidateRows, options: RankOptions): Promise<Ranking> {
    const { words: ranking, vectors, analyze, embedder } = this.parts;
    const fitted = this.parts.fitted !== undefined;
    const { limit, mode = "hybrid", signal } = options;
    const depth = Math.max(limit, fusion.depth);
    const { terms, phrases: quoted } = analyze(query);
    const known = ranking.query(terms, signal);
    const asked = { query, terms, words: () => known };
    const [held, words, vector] = await Promise.all([
      quoted.length === 0 ? true : this.holdsPhrases(quoted, candidates, signal),
      known,
      mode === "keyword" ? undefined : queryVector(this.parts, asked, signal),
    ]);
    const phrases = held ? quoted : [];
    const limits = { candidates, phrases, limit: depth, signal };
    // Where words are not ranked anyway, every candidate is scored: that takes no longer than to rank them.
    const hints = vector === undefined || mode !== "hybrid" ? 0 : vectors.hintsFor(limits);
    const needsWords = mode !== "semantic" || (fitted && !words.known);
    const worded = needsWords ? ranking.rankWith(words, limits, hints) : NO_WORDS;
    const [near, { ranked: matching }] = await Promise.all([
      vector === undefined
        ? NOTHING
        : vectors.nearest(vector, limits, {
            exact: hints === 0,
            hints: async () => (await worded).matching,
          }),
      worded,
    ]);
    const ids = await this.idsOf([...near, ...matching], signal);
    const compare = (a: number, b: number) => Buffer.compare(ids.get(a)!, ids.get(b)!);
    const languages = new Map([...near, ...matching].map(({ row, language }) => [row, language]));
    const found = combine(
      { words, near: ranked(near), matching: ranked(best(matching, depth, compare)), mode, fitted },
      limit,
      (row) => languages.get(row)!,
      compare,
    );
    return {
      ...found,
      mode,
      embedder: mode === "keyword" ? undefined : embedder.id,
      note: this.noteOf(held, mode),
    };
  }

  async embedQuery(query: string, signal?: AbortSignal): Promise<Float32Array | undefined> {
    const { terms } = this.parts.analyze(query);
    const words = () => this.parts.words.query(terms, signal);
    return queryVector(this.parts, { query, terms, words }, signal);
  }

  async nearest(
    vector: Float32Array,
    candidates: CandidateRows,
    { limit, exact, query, signal }: NearestRows,
  ): Promise<number[]> {
    const { words, vectors, analyze } = this.parts;
    const limits = { candidates, phrases: [], limit, signal };
    const wanted = query === undefined ? 0 : vectors.hintsFor(limits, exact);
    const hints = async () => {
      const known = await words.query(analyze(query!).terms, signal);
      return (await words.rankWith(known, limits, wanted)).matching;
    };
    const found = await vectors.nearest(vector, limits, { exact: wanted === 0, hints });
    return found.map(({ row }) => row);
  }

  async vectors(rows: readonly number[]): Promise<Float32Array[]> {
    if (rows.length === 0) return [];
    refuseRemoved(rows, this.parts.removed);
    const [given, made] = await Promise.all([
      this.parts.given ? this.givenVectors(rows) : new Map<number, Float32Array>(),
      this.madeVectors(rows),
    ]);
    return rows.map((row) => {
      const vector = given.get(row) ?? made.get(row);
      if (vector === undefined)
        throw new LakeError("cluster_damaged", `Row ${row} has no vector`, {
          value: row,
          remedy: "Install the slices again into an empty database.",
        });
      return vector;
    });
  }

  /** @throws LakeError `cluster_unsupported`: nothing is read synchronously from a server; use {@link ClickHouseIndex.vectors} */
  vector(row: number): Float32Array {
    throw clusterUnsupported("Reading a vector synchronously", row, "Use index.vectors([row]).");
  }

  /** @throws LakeError `cluster_unsupported`, as {@link ClickHouseIndex.vector} */
  vectorsInto(rows: ArrayLike<number>): void {
    this.vector(rows[0]!);
  }

  /** Nothing is closed: the embedder and the connection are the view's. */
  async close(): Promise<void> {}

  /** What the caller should know of how it was ranked. */
  private noteOf(held: boolean, mode: RankMode): string | undefined {
    const { own, embedder } = this.parts;
    const notes = held ? [] : [NO_PHRASE];
    if (own !== undefined && mode !== "keyword" && embedder.id !== own.embedder)
      notes.push(notAtHand(own.embedder));
    return notes.length === 0 ? undefined : notes.join("; ");
  }

  private async holdsPhrases(
    phrases: readonly (readonly QueryTerm[])[],
    candidates: CandidateRows,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { connection, conditions } = this.parts;
    const parameters = new SqlParameters();
    const live = conditions.live("records");
    const all = phrases.map((phrase) => phraseCondition(phrase, live, parameters));
    const rows = await connection.rows(
      `SELECT 1 FROM records WHERE ${[conditions.among(candidates, parameters), ...all].join(" AND ")} LIMIT 1`,
      parameters.values,
      signal,
    );
    return rows.length > 0;
  }

  /** The ids of rows, as bytes. */
  private async idsOf(
    found: readonly FoundRow[],
    signal: AbortSignal | undefined,
  ): Promise<Map<number, Buffer>> {
    const { connection, conditions, places } = this.parts;
    const ids = new Map<number, Buffer>();
    for (const { row, id } of found) if (id !== undefined) ids.set(row, id);
    const rows = [...new Set(found.map(({ row }) => row))].filter((row) => !ids.has(row));
    if (rows.length === 0) return ids;
    const parameters = new SqlParameters();
    const named = await connection.rows<[number, number, string]>(
      `SELECT load, ordinal, id FROM records WHERE ${conditions.named(rows, parameters)}`,
      parameters.values,
      signal,
    );
    for (const [load, ordinal, id] of named) ids.set(places.rowOf(load, ordinal), Buffer.from(id));
    return ids;
  }

  private async givenVectors(rows: readonly number[]): Promise<Map<number, Float32Array>> {
    return this.readNumbers("given_vectors", rows);
  }

  private async madeVectors(rows: readonly number[]): Promise<Map<number, Float32Array>> {
    if (this.parts.own !== undefined) return this.readNumbers("own_vectors", rows);
    return this.readVectors(this.made, "bytes, scale", rows, (reader) => {
      const vector = new Float32Array(dimensions);
      readByteVector(Buffer.concat([reader.array(1), reader.take(SCALE_BYTES)]), vector);
      return vector;
    });
  }

  private readNumbers(table: string, rows: readonly number[]): Promise<Map<number, Float32Array>> {
    return this.readVectors({ table, of: "1" }, "numbers", rows, (reader) => {
      const vector = new Float32Array(dimensions);
      new Uint8Array(vector.buffer).set(reader.array(Float32Array.BYTES_PER_ELEMENT));
      return vector;
    });
  }

  private async readVectors(
    { table, of }: { readonly table: string; readonly of: string },
    columns: string,
    rows: readonly number[],
    read: (reader: RowBinaryReader) => Float32Array,
  ): Promise<Map<number, Float32Array>> {
    const { connection, conditions, places } = this.parts;
    const parameters = new SqlParameters();
    const bytes = await connection.bytes(
      `SELECT load, ordinal, ${columns} FROM ${table} WHERE ${of} AND ${conditions.named(rows, parameters)}`,
      parameters.values,
    );
    const vectors = new Map<number, Float32Array>();
    const reader = new RowBinaryReader(bytes);
    while (!reader.done) {
      const row = places.rowOf(reader.uint64(), reader.uint32());
      vectors.set(row, read(reader));
    }
    return vectors;
  }
}

function ranked(found: readonly FoundRow[]): RankedRows {
  return { rows: found.map(({ row }) => row), scores: found.map(({ score }) => score) };
}

/** The best rows; equal scores in the order of `compare`. */
function best(
  found: readonly FoundRow[],
  limit: number,
  compare: (a: number, b: number) => number,
): readonly FoundRow[] {
  return found.toSorted((a, b) => b.score - a.score || compare(a.row, b.row)).slice(0, limit);
}
