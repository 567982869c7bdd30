import { z } from "zod";
import type { LakeClient } from "../../client/open-lake.js";
import { nextTurn } from "../../next-turn.js";
import { projectVectors } from "../../notebook/project-vectors.js";
import { SQL_VIEWS } from "../../sql/views.js";
import type { MapAnswer, StatisticsAnswer } from "../answers.js";
import { CONSOLE_DEFAULTS } from "../defaults.js";
import { route } from "../route.js";

/** Columns of every record, which say nothing of coverage. */
const EVERYWHERE = new Set(["id", "src", "platform", "lang", "prov_hash", "prov_ts", "captured_at", "slice"]);

/** Counts of the lake, for charts; computed once until something changes. */
export const statisticsRoute = route({
  method: "GET",
  path: "statistics",
  params: z.strictObject({}),
  answer: async (_params, { lake, facts }): Promise<StatisticsAnswer> =>
    facts.get("statistics", () => statisticsOf(lake)),
});

async function statisticsOf(lake: LakeClient): Promise<StatisticsAnswer> {
  const columns = SQL_VIEWS[0]!.columns.map(({ name }) => name).filter((name) => !EVERYWHERE.has(name));
  const counted = columns.map((name) => `count(${name}) AS ${name}`).join(", ");
  const days = await lake.sql<{ day: string; src: string; n: number }>(
    "SELECT strftime(captured_at, '%Y-%m-%d') AS day, src, count(*)::INTEGER AS n FROM records GROUP BY ALL ORDER BY ALL",
  );
  const groups = await lake.sql<{ platform: string; src: string; lang: string; n: number }>(
    "SELECT platform, src, lang, count(*)::INTEGER AS n FROM records GROUP BY ALL ORDER BY n DESC, platform, lang",
  );
  const fields = await lake.sql<Record<string, unknown>>(
    `SELECT src, count(*) AS all_records, ${counted} FROM records GROUP BY src ORDER BY src`,
  );
  const shares = columns.map((name) => ({
    name,
    shares: Object.fromEntries(
      fields
        .filter((row) => Number(row[name]) > 0)
        .map((row) => [String(row.src), Number(row[name]) / Number(row.all_records)]),
    ),
  }));
  return {
    days: days.map(({ day, src, n }) => ({ day, src, count: n })),
    platforms: summed(groups, ({ platform }) => platform).map(([value, count, { src }]) => ({
      value,
      src,
      count,
    })),
    langs: summed(groups, ({ lang }) => lang).map(([value, count]) => ({ value, count })),
    domains: summed(groups, ({ src }) => src).map(([value, count]) => ({ value, count })),
    fields: shares.filter((field) => Object.keys(field.shares).length > 0),
  };
}

/** Sums of `n` by name, largest first, each with a row of it. */
function summed<Row extends { readonly n: number }>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): (readonly [name: string, sum: number, row: Row])[] {
  const sums = new Map<string, { sum: number; row: Row }>();
  for (const row of rows) {
    const name = nameOf(row);
    sums.set(name, { row, sum: (sums.get(name)?.sum ?? 0) + row.n });
  }
  return [...sums]
    .map(([name, { sum, row }]) => [name, sum, row] as const)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** A map of the vectors: of the model that most records have, and of an even sample of these. Vectors stay on the server. */
export const mapRoute = route({
  method: "GET",
  path: "map",
  params: z.strictObject({}),
  answer: async (_params, { lake, facts }): Promise<MapAnswer | null> => facts.get("map", () => mapOf(lake)),
});

interface Sampled {
  readonly id: string;
  readonly label: string | null;
  readonly platform: string;
  readonly src: string;
  readonly lang: string;
}

async function mapOf(lake: LakeClient): Promise<MapAnswer | null> {
  const [most] = await lake.sql<{ model: string | null; n: number }>(
    "SELECT model, count(*)::INTEGER AS n FROM vectors GROUP BY model ORDER BY n DESC, model LIMIT 1",
  );
  if (most === undefined || most.model === null) return null;
  const sampled = await lake.sql<Sampled>(
    `SELECT v.id, r.platform, r.src, r.lang, left(coalesce(r.title, r.text, ''), 100) AS label
     FROM (SELECT id FROM vectors WHERE model = $model ORDER BY md5(id) LIMIT $most) v JOIN records r USING (id) ORDER BY v.id`,
    { model: most.model, most: CONSOLE_DEFAULTS.mapRecords },
  );
  const points: Sampled[] = [];
  const vectors: Float32Array[] = [];
  await lake.lake.use(async ({ corpus, index }) => {
    for (const [at, record] of sampled.entries()) {
      const row = await corpus.recordRow(record.id);
      if (row === undefined) continue;
      const [vector] = await index.vectors([row]);
      points.push(record);
      vectors.push(vector!);
      if (at % CONSOLE_DEFAULTS.mapRowsATurn === 0) await nextTurn();
    }
  });
  const { points: places, explained } = await projectVectors(vectors);
  const round = (value: number) => Math.round(value * 1e4) / 1e4;
  return {
    model: most.model,
    of: most.n,
    explained,
    points: points.map((record, at) => ({
      ...record,
      label: record.label ?? "",
      x: round(places[at]!.x),
      y: round(places[at]!.y),
    })),
  };
}
