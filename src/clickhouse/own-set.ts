import { LakeError, SearchError } from "../contract/errors.js";
import type { Embedder } from "../search/embed/embedder.js";
import { embedderOf, GIVEN_VECTORS } from "../search/index-manifest.js";
import { shownClickHouse } from "./clickhouse-address.js";
import { type Load, loadList } from "./committed-loads.js";
import type { Connection } from "./connection.js";
import type { Staged } from "./load/staged.js";
import { hasTable } from "./schema/schema.js";

const TABLE = "own_vectors";

/** The vectors of an embedder of the user's own that a lake has of every record. */
export interface OwnSet {
  /** Id of the embedder. */
  readonly embedder: string;
  readonly dims: number;
}

/** The own set of some loads; undefined where they have none. @param loads complete ones with slices */
export async function readOwnSet(
  connection: Connection,
  loads: readonly Load[],
  signal?: AbortSignal,
): Promise<OwnSet | undefined> {
  // Older versions noted no digests.
  if (loads.every(({ digests }) => digests[TABLE]?.rows === 0)) return undefined;
  if (!(await hasTable(connection, TABLE))) return undefined;
  const [row] = await connection.rows<[string, number]>(
    `SELECT embedder, length(numbers) FROM ${TABLE} WHERE load IN (${loadList(loads)}) LIMIT 1`,
    {},
    signal,
  );
  return row === undefined ? undefined : { embedder: row[0], dims: row[1] };
}

/**
 * The embedder by which an own set ranks: one of its id. Another one, or none, does not: the lake's default embedder ranks.
 * @throws SearchError `embedder_differs` for one of that id with other dimensions
 */
export function rankingEmbedder(
  own: OwnSet | undefined,
  embedder: Embedder | undefined,
): Embedder | undefined {
  if (own === undefined || embedder?.id !== own.embedder) return undefined;
  if (embedder.dims !== own.dims) throw otherDimensions(own, embedder);
  return embedder;
}

/**
 * Refuses to add records to a lake by another embedder than that of its own set: each record would have no vector of it, or the others none.
 * @param loads complete ones with slices
 * @throws SearchError `embedder_differs`
 */
export function refuseOtherEmbedder(
  own: OwnSet | undefined,
  loads: readonly Load[],
  embedder: Pick<Embedder, "id" | "dims"> | undefined,
): void {
  if (!loads.some(({ records }) => records > 0) || own?.embedder === embedder?.id) {
    if (own !== undefined && embedder !== undefined && own.dims !== embedder.dims)
      throw otherDimensions(own, embedder);
    return;
  }
  throw new SearchError(
    "embedder_differs",
    own === undefined
      ? "the lake has no vectors of another embedder than its own"
      : `the lake has vectors of ${own.embedder}`,
    {
      value: embedder?.id,
      remedy:
        own === undefined
          ? "leave the embedder out, or install all slices with it into an empty database"
          : `give the embedder ${own.embedder} (--embedder, option embedder), or install all slices into an empty database`,
    },
  );
}

/** The own set of what was staged; undefined without an embedder. */
export function ownSetOf({ index }: Staged, embedder: Embedder | undefined): OwnSet | undefined {
  // An embedder that was fitted has another id.
  const id = embedderOf(index, GIVEN_VECTORS);
  return id === undefined ? undefined : { embedder: id, dims: embedder!.dims };
}

/** Refuses an own set where older tables have no place for it. @throws LakeError `cluster_older_format` */
export async function refuseWithoutTable(connection: Connection): Promise<void> {
  if (await hasTable(connection, TABLE)) return;
  const shown = shownClickHouse(connection.address);
  throw new LakeError(
    "cluster_older_format",
    `The tables of ${shown} have no place for vectors of an embedder`,
    {
      value: shown,
      remedy: "Bring them up to date: mirrorlake cluster init --lake <address>.",
    },
  );
}

/** The embedder as it is, fitted or not: a lake that has vectors of it needs more of the same. */
export function withoutFit(embedder: Embedder): Embedder {
  const { id, dims, state } = embedder;
  return {
    id,
    dims,
    state,
    embedDocuments: (texts, signal) => embedder.embedDocuments(texts, signal),
    embedQuery: (text, signal) => embedder.embedQuery(text, signal),
  };
}

function otherDimensions(own: OwnSet, { id, dims }: Pick<Embedder, "id" | "dims">): SearchError {
  return new SearchError(
    "embedder_differs",
    `the lake has vectors of ${own.embedder} with ${own.dims} dimensions, not ${dims}`,
    { value: dims, remedy: `give the embedder ${id} that made them (--embedder, option embedder)` },
  );
}
