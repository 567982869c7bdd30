import {
  CREATOR_RESOURCE,
  PART_RESOURCES,
  type RemovalTarget,
  removalKey,
} from "../../contract/lake/removal.js";
import { otherForms } from "../../store/removals/target-forms.js";
import { ofCountingSlices } from "../superseded.js";
import {
  authorsOf,
  NOT_WORKS,
  OWN_ID_OF,
  PLATFORM_OF,
  RECORD_ID,
  type RemovalWork,
  stemValues,
} from "./derive-keys.js";

const PARTS: ReadonlySet<string> = new Set([...PART_RESOURCES, CREATOR_RESOURCE]);

/**
 * Finds which of some targets of a change name something in the lake, in any form of their ids, as a lake in a folder does. The change has
 * nothing but its targets so far. Of hashes it knows nothing.
 */
export async function matchedTargets(
  work: RemovalWork,
  targets: readonly RemovalTarget[],
): Promise<(target: RemovalTarget) => boolean> {
  const found = await foundKeys(work, new Set(targets.map(({ kind }) => kind)));
  const { slugs, stems } = stemValues(work.loads) as { slugs: string[]; stems: string[] };
  const slugOf = new Map(stems.map((stem, i) => [stem, slugs[i]!]));
  const stemOf = new Map(slugs.map((slug, i) => [slug, stems[i]!]));
  const isFound = (target: ReturnType<typeof otherForms>[number]): boolean => {
    if (found.has(removalKey(target))) return true;
    if (target.kind === "record")
      return found.has(`work ${slugOf.get(target.id.slice(0, 8))}/${target.id.slice(8)}`);
    if (target.kind !== "raw" || PARTS.has(target.resource)) return false;
    const { platform, id } = target;
    return found.has(`work ${platform}/${id}`) || found.has(`record ${stemOf.get(platform)}${id}`);
  };
  return (target) => [target, ...otherForms(target)].some(isFound);
}

/** Keys of what the targets name: as those of removals; and of works, whatever their resource, by platform and own id. */
async function foundKeys(
  work: RemovalWork,
  kinds: ReadonlySet<RemovalTarget["kind"]>,
): Promise<ReadonlySet<string>> {
  const { connection, loads, by, signal } = work;
  const loaded = ofCountingSlices(loads);
  const sent = (columns: string, condition: string) =>
    `SELECT ${columns} FROM removals WHERE by = ${by} AND ${condition}`;
  const works = `SELECT ${PLATFORM_OF("record_id")} AS platform, ${OWN_ID_OF("record_id")} AS id FROM (${sent("id AS record_id", "kind = 'record'")})
    UNION ALL ${sent("platform, id", `kind = 'raw' AND resource NOT IN (${NOT_WORKS})`)}`;
  const ownWork = `(${sent("platform, id AS own", `kind = 'raw' AND resource NOT IN (${NOT_WORKS})`)})`;
  const ofWorks = [
    `SELECT concat('record ', id) FROM records WHERE ${loaded} AND (id GLOBAL IN (${sent("id", "kind = 'record'")})
      OR id GLOBAL IN (SELECT ${RECORD_ID("own")} FROM ${ownWork}))`,
    `SELECT DISTINCT concat('work ', platform, '/', id) FROM raw WHERE ${loaded} AND resource NOT IN (${NOT_WORKS})
      AND (platform, id) GLOBAL IN (${works})`,
    `SELECT DISTINCT concat('work ', platform, '/', assumeNotNull(parent)) FROM raw WHERE ${loaded} AND parent IS NOT NULL
      AND (platform, assumeNotNull(parent)) GLOBAL IN (${works})`,
  ];
  const ofRaw = [
    `SELECT DISTINCT concat('raw ', platform, '/', resource, '/', id) FROM raw WHERE ${loaded}
      AND (platform, resource, id) GLOBAL IN (${sent("platform, resource, id", "kind = 'raw'")})`,
    `SELECT DISTINCT concat('raw ', platform, '/', resource, '/', assumeNotNull(reply_to)) FROM raw WHERE ${loaded} AND reply_to IS NOT NULL
      AND (platform, resource, assumeNotNull(reply_to)) GLOBAL IN (${sent("platform, resource, id", "kind = 'raw'")})`,
    `SELECT DISTINCT concat('raw ', platform, '/${CREATOR_RESOURCE}/', assumeNotNull(parent)) FROM raw WHERE ${loaded} AND resource = 'relation'
      AND parent IS NOT NULL AND (platform, assumeNotNull(parent)) GLOBAL IN
        (${sent("platform, id", `kind = 'raw' AND resource = '${CREATOR_RESOURCE}'`)})`,
  ];
  const ofAuthors = [
    `(${authorsOf(loaded)})`,
    `(SELECT platform, JSONExtractString(record, 'author', 'uid_hash') AS name FROM records WHERE ${loaded})`,
  ].map(
    (authors) => `SELECT DISTINCT concat('author ', arrayJoin([platform, '*']), '/', name) FROM ${authors}
      WHERE name != '' AND name GLOBAL IN (${sent("id", "kind = 'author'")})`,
  );
  const queries = [
    ...(kinds.has("record") || kinds.has("raw") ? ofWorks : []),
    ...(kinds.has("raw") ? ofRaw : []),
    ...(kinds.has("author") ? ofAuthors : []),
  ];
  if (queries.length === 0) return new Set();
  const rows = await connection.rows<[string]>(queries.join(" UNION ALL "), stemValues(loads), signal);
  return new Set(rows.map(([key]) => key));
}
