import { CREATOR_RESOURCE, PART_RESOURCES, RELATION_RESOURCE } from "../../contract/lake/removal.js";
import { recordStems } from "../../store/removals/removal-tables.js";
import { installsOf, type Load, loadList } from "../committed-loads.js";
import type { Connection } from "../connection.js";
import { ofCountingSlices } from "../superseded.js";

const list = (names: readonly string[]) => names.map((name) => `'${name}'`).join(", ");
/** SQL of a list of the resources that are parts of other items. */
export const PARTS = list(PART_RESOURCES);
/** The same, and profiles of authors: what is no work. */
export const NOT_WORKS = list([...PART_RESOURCES, CREATOR_RESOURCE]);

/** What a change of the removals works on. */
export interface RemovalWork {
  readonly connection: Connection;
  /** Of the tables. */
  readonly version: number;
  /** All loads whose rows count, and the one that is being made, if it has rows. */
  readonly loads: readonly Load[];
  /** The number of the load that the change is. */
  readonly by: number;
  readonly atMs: number;
  readonly reason: string;
  readonly signal?: AbortSignal;
}

/** SQL of the removed keys of one kind: those that count, and those of the change. */
export function gone(
  { loads, by }: Pick<RemovalWork, "loads" | "by">,
  kind: "record" | "raw" | "author" | "hash" | "quote",
  columns: string,
  more = "1",
): string {
  return `SELECT ${columns} FROM removals WHERE kind = '${kind}' AND by IN (${loadList(loads)}, ${by}) AND ${more}`;
}

/** Parameters of statements that turn keys of records into keys of raw items, and back. */
export function stemValues(loads: readonly Load[]): Record<string, unknown> {
  const manifests = installsOf(loads).flatMap(({ slices }) => slices.map((manifest) => ({ manifest })));
  const stems = [...recordStems(manifests)];
  return { slugs: stems.map(([slug]) => slug), stems: stems.map(([, stem]) => stem) };
}

/** SQL of a record's id by the platform and the platform's own id. */
export const RECORD_ID = (own: string) =>
  `concat(transform(platform, {slugs:Array(String)}, {stems:Array(String)}, '?'), ${own})`;
/** SQL of the hash that a raw item is stored with; empty for none. */
export const HASH_OF_RAW = "JSONExtractString(item, 'data', 'prov', 'hash')";
/** SQL of the platform, and the platform's own id, of a record's id: the stem has eight characters. */
export const PLATFORM_OF = (id: string) =>
  `transform(substring(${id}, 1, 8), {stems:Array(String)}, {slugs:Array(String)}, '?')`;
export const OWN_ID_OF = (id: string) => `substring(${id}, 9)`;

/**
 * Adds what follows from removed keys, as a lake in a folder does: the works of a removed author, the record and the raw item of the
 * same work, the parts of a removed work, the replies to a removed comment, and quotes in samples. Every edition of a slice that is not
 * superseded counts. What follows from earlier keys was found by the changes that brought them, but in rows that the change brings.
 */
export async function deriveKeys(work: RemovalWork): Promise<void> {
  const steps = stepsOf(work);
  const hasRows = work.loads.some(({ id }) => id === work.by);
  let [earlier, counts] = await countKinds(work);
  if (hasRows) earlier = new Map();
  let before = earlier;
  const grown = (kind: string) => counts.get(kind) !== before.get(kind);
  for (;;) {
    // What follows from keys that were there in the last round has been found.
    const due = steps.filter((step) => step.from.some(grown));
    if (due.length === 0) break;
    for (const [kind, columns] of Object.entries(KEYS)) {
      const queries = due.filter((step) => step.kind === kind).map(({ query }) => query);
      if (queries.length > 0) await add(work, kind as Kind, columns, queries.join(" UNION ALL "));
    }
    work.signal?.throwIfAborted();
    before = counts;
    [, counts] = await countKinds(work);
  }
  before = earlier;
  if (grown("raw")) await add(work, "quote", "id, sha256", quotes(work));
}

/** Numbers of removed keys by kind, nothing of kinds that have none: those of earlier changes, and all. */
async function countKinds({
  connection,
  loads,
  by,
}: RemovalWork): Promise<[Map<string, number>, Map<string, number>]> {
  const rows = await connection.rows<[string, number, number]>(
    `SELECT kind, countIf(by != ${by}), count() FROM removals WHERE by IN (${loadList(loads)}, ${by}) GROUP BY kind`,
  );
  const all = new Map(rows.map(([kind, , count]) => [kind, count]));
  return [new Map(rows.flatMap(([kind, count]) => (count === 0 ? [] : [[kind, count]]))), all];
}

async function add(work: RemovalWork, kind: Kind | "quote", columns: string, query: string): Promise<void> {
  const { connection, loads, by, atMs, reason, signal } = work;
  await connection.run(
    `INSERT INTO removals (by, kind, ${columns}, derived, at_ms, reason)
      SELECT ${by}, '${kind}', ${columns}, 1, ${atMs}, {reason:String} FROM (SELECT DISTINCT ${columns} FROM (${query}))
      WHERE (${columns}) GLOBAL NOT IN (${gone(work, kind, columns)})`,
    { reason, ...stemValues(loads) },
    signal,
  );
}

/** Columns of the keys that are derived, in the order in which one kind is likely to follow from another. */
const KEYS = { author: "platform, id", record: "id", raw: "platform, resource, id" } as const;
type Kind = keyof typeof KEYS;

/** What follows from keys: of which kind it is, of which kinds it follows, and SQL of its columns in `KEYS`. */
interface Step {
  readonly kind: Kind;
  readonly from: readonly (Kind | "hash")[];
  readonly query: string;
}

function stepsOf(work: RemovalWork): Step[] {
  const loaded = ofCountingSlices(work.loads);
  const raw = (condition: string) =>
    `SELECT platform, resource, id FROM raw WHERE ${loaded} AND ${condition}`;
  const works = `SELECT ${PLATFORM_OF("record_id")} AS platform, ${OWN_ID_OF("record_id")} AS id FROM (${gone(work, "record", "id AS record_id")})
    UNION ALL ${gone(work, "raw", "platform, id", `resource NOT IN (${NOT_WORKS})`)}`;
  const named = (
    platform: string,
    name: string,
  ) => `(${name} GLOBAL IN (${gone(work, "author", "id", "platform = ''")})
    OR (${platform}, ${name}) GLOBAL IN (${gone(work, "author", "platform, id", "platform != ''")}))`;
  const authors = authorsOf(loaded);
  return [
    {
      kind: "author",
      from: ["author"],
      query: `SELECT platform, uid_hash AS id FROM (${authors})
        WHERE name != '' AND uid_hash != '' AND ${named("platform", "name")}`,
    },
    {
      kind: "record",
      from: ["author"],
      query: `SELECT id FROM (SELECT id, platform, JSONExtractString(record, 'author', 'uid_hash') AS uid_hash FROM records WHERE ${loaded})
        WHERE uid_hash != '' AND ${named("platform", "uid_hash")}`,
    },
    {
      kind: "raw",
      from: ["author"],
      query: `SELECT platform, resource, id FROM (${authors}) WHERE name != '' AND ${named("platform", "name")}`,
    },
    {
      kind: "record",
      from: ["hash"],
      query: `SELECT id FROM records WHERE ${loaded} AND content GLOBAL IN (${gone(work, "hash", "id")})`,
    },
    {
      kind: "raw",
      from: ["hash"],
      query: raw(
        `resource NOT IN (${NOT_WORKS}) AND ${HASH_OF_RAW} GLOBAL IN (${gone(work, "hash", "id AS hash")})`,
      ),
    },
    {
      kind: "record",
      from: ["raw"],
      query: `SELECT ${RECORD_ID("own")} AS id FROM (${gone(work, "raw", "platform, id AS own", `resource NOT IN (${NOT_WORKS})`)})
        WHERE has({slugs:Array(String)}, platform)`,
    },
    {
      kind: "raw",
      from: ["record", "raw"],
      query: raw(`resource NOT IN (${NOT_WORKS}) AND (platform, id) GLOBAL IN (${works})`),
    },
    {
      kind: "raw",
      from: ["record", "raw"],
      query: raw(
        `resource != '${RELATION_RESOURCE}' AND parent IS NOT NULL AND (platform, assumeNotNull(parent)) GLOBAL IN (${works})`,
      ),
    },
    {
      kind: "raw",
      from: ["raw"],
      query:
        raw(`resource = '${RELATION_RESOURCE}' AND parent IS NOT NULL AND (platform, assumeNotNull(parent)) GLOBAL IN
        (${gone(work, "raw", "platform, id", `resource = '${CREATOR_RESOURCE}'`)})`),
    },
    {
      kind: "raw",
      from: ["raw"],
      query: raw(`reply_to IS NOT NULL AND (platform, resource, assumeNotNull(reply_to)) GLOBAL IN
        (${gone(work, "raw", "platform, resource, id")})`),
    },
  ];
}

/** SQL of raw items with each of the names of their authors, empty for none, and the hash of their author. @param some SQL of the items */
export function authorsOf(some: string): string {
  return `SELECT platform, resource, id, ${dataText("author", "uid_hash")} AS uid_hash, arrayJoin([${NAMES.join(", ")}]) AS name
    FROM raw WHERE ${some}`;
}

/** SQL of a text in the data of a raw item; a number as it is written; empty for anything else. */
function dataText(...path: readonly string[]): string {
  const at = `item, 'data', ${list(path)}`;
  return `multiIf(JSONType(${at}) = 'String', JSONExtractString(${at}),
    JSONType(${at}) IN ('Int64', 'UInt64', 'Double'), JSONExtractRaw(${at}), '')`;
}

/** What an item calls its author. */
const NAMES: readonly string[] = [
  "ifNull(author, '')",
  `if(resource = '${CREATOR_RESOURCE}', id, '')`,
  `if(resource = '${RELATION_RESOURCE}', ifNull(parent, ''), '')`,
  dataText("from"),
  dataText("to"),
  dataText("author", "uid_hash"),
  dataText("author", "uid"),
  dataText("author", "sec_uid"),
  dataText("author", "unique_id"),
];

/** Quotes of removed items in the samples of records that stay: digests of the whole text, and of its first 500 code points. */
function quotes(work: RemovalWork): string {
  const texts = ["text", "content", "body", "review"].map(
    (key) => `JSONExtractString(item, 'data', '${key}')`,
  );
  return `SELECT id, lower(hex(SHA256(text))) AS sha256 FROM (
      SELECT ${RECORD_ID("assumeNotNull(parent)")} AS id,
        arrayJoin(arrayDistinct(arrayFlatten(arrayMap(x -> [x, substringUTF8(x, 1, 500)], arrayFilter(x -> x != '', [${texts.join(", ")}])))))
          AS text
      FROM raw WHERE ${ofCountingSlices(work.loads)} AND resource IN (${PARTS}) AND parent IS NOT NULL
        AND has({slugs:Array(String)}, platform) AND (platform, resource, raw.id) GLOBAL IN (${gone(work, "raw", "platform, resource, id")})
    ) WHERE id GLOBAL NOT IN (${gone(work, "record", "id")})`;
}
