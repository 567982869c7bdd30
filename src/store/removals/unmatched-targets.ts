import {
  CREATOR_RESOURCE,
  PART_RESOURCES,
  RELATION_RESOURCE,
  type RemovalTarget,
} from "../../contract/lake/removal.js";
import type { Database, SqlValue } from "../../duckdb/database.js";
import { otherForms } from "./target-forms.js";

const list = (names: readonly string[]) => names.map((name) => `'${name}'`).join(", ");
const isWork = (column: string) => `${column} NOT IN (${list([...PART_RESOURCES, CREATOR_RESOURCE])})`;
const byAuthor = (table: string) => `asked.platform IS NULL OR asked.platform = ${table}.platform`;

/** Works that are asked for by their records or raw items: number of the target, platform, own id. */
const WORKS = `(SELECT n, slug AS platform, substr(asked.id, length(stem) + 1) AS id FROM asked JOIN platforms
    ON starts_with(asked.id, stem) WHERE kind = 'record'
  UNION ALL SELECT n, platform, id FROM asked WHERE kind = 'raw' AND ${isWork("resource")})`;

const MATCHED = [
  "SELECT n FROM asked JOIN records USING (id) WHERE kind = 'record'",
  `SELECT n FROM ${WORKS} work JOIN platforms ON slug = work.platform JOIN records ON records.id = stem || work.id`,
  `SELECT n FROM ${WORKS} work JOIN raw USING (platform, id) WHERE ${isWork("raw.resource")}`,
  `SELECT n FROM ${WORKS} work JOIN raw ON raw.platform = work.platform AND raw.parent = work.id`,
  "SELECT n FROM asked JOIN raw USING (platform, resource, id) WHERE kind = 'raw'",
  `SELECT n FROM asked JOIN raw ON raw.platform = asked.platform AND raw.resource = asked.resource
    AND raw.reply_to = asked.id WHERE kind = 'raw'`,
  `SELECT n FROM asked JOIN raw ON raw.platform = asked.platform AND raw.parent = asked.id
    WHERE kind = 'raw' AND asked.resource = '${CREATOR_RESOURCE}' AND raw.resource = '${RELATION_RESOURCE}'`,
  `SELECT n FROM asked JOIN authors ON authors.name = asked.id WHERE kind = 'author' AND (${byAuthor("authors")})`,
  `SELECT n FROM asked JOIN records ON author_uid_hash = asked.id WHERE kind = 'author' AND (${byAuthor("records")})`,
];

/**
 * The targets that name nothing, in any form of their ids. Hashes are given: `hashes` holds those that name nothing. Needs the
 * tables of `deriveRemovals`.
 */
export async function unmatchedTargets(
  db: Database,
  targets: readonly RemovalTarget[],
  hashes: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<RemovalTarget[]> {
  if (targets.length === 0) return [];
  await db.run(
    "CREATE TABLE asked (n INTEGER, kind VARCHAR, platform VARCHAR, resource VARCHAR, id VARCHAR)",
  );
  await db.append("asked", askedRows(targets));
  const matched = new Set<number>();
  for await (const batch of db.stream<{ n: number }>(MATCHED.join(" UNION "), [], signal))
    for (const { n } of batch) matched.add(n);
  return targets.filter((target, n) => (target.kind === "hash" ? hashes.has(target.hash) : !matched.has(n)));
}

function* askedRows(targets: readonly RemovalTarget[]): Generator<SqlValue[], void, void> {
  for (const [n, target] of targets.entries()) {
    for (const form of [target, ...otherForms(target)]) {
      if (form.kind === "record") yield [n, form.kind, null, null, form.id];
      else if (form.kind === "raw") yield [n, form.kind, form.platform, form.resource, form.id];
      else if (form.kind === "author") yield [n, form.kind, form.platform ?? null, null, form.id];
    }
  }
}
