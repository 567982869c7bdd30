import { join } from "node:path";
import { DOMAIN_PREFIX } from "../contract/service/platforms.js";
import type { SliceManifest, SliceResource } from "../contract/slice/slice-manifest.js";
import { Database } from "../duckdb/database.js";
import { allFinite } from "./all-finite.js";
import { VectorFile } from "./arrow-vectors.js";
import { RAW_COLUMNS } from "./raw-columns.js";
import { RECORD_COLUMNS, VECTOR_ROW } from "./record-columns.js";
import { refuseSlice } from "./refuse-slice.js";

/**
 * Checks a slice's files against its manifest: readable Parquet and Arrow, the columns and rows of the format, unique sorted
 * keys, one platform, language and month, and one vector per position.
 * @param database reads the files; default: one opened for this call
 * @throws SliceError
 */
export async function checkContent(dir: string, manifest: SliceManifest, database?: Database): Promise<void> {
  const { counts } = manifest.mirrorlake;
  const rowsOf = (name: SliceResource["name"]) => manifest.resources.find((r) => r.name === name)?.rows ?? 0;
  for (const name of ["records", "raw", "vectors"] as const) {
    if (counts[name] !== rowsOf(name)) {
      refuseSlice(
        "slice_manifest_invalid",
        dir,
        `it counts ${counts[name]} ${name}, its file ${rowsOf(name)}`,
        {
          value: counts[name],
        },
      );
    }
  }
  if (database === undefined) await withCheckDatabase((opened) => checkFiles(opened, dir, manifest));
  else await checkFiles(database, dir, manifest);
}

/**
 * Runs `use` with an in-memory database for checking many slices ({@link checkContent}): opening one takes longer than checking
 * a small slice.
 */
export async function withCheckDatabase<T>(use: (database: Database) => Promise<T>): Promise<T> {
  const database = await Database.open(":memory:", { threads: 1 });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

async function checkFiles(db: Database, dir: string, manifest: SliceManifest): Promise<void> {
  for (const resource of manifest.resources) {
    if (resource.name === "records") await checkRecords(db, dir, manifest, resource);
    else if (resource.name === "raw") await checkRaw(db, dir, manifest, resource);
  }
  const vectors = manifest.resources.find(({ name }) => name === "vectors");
  if (vectors !== undefined) await checkVectors(db, dir, manifest, vectors);
}

async function checkRecords(
  db: Database,
  dir: string,
  manifest: SliceManifest,
  resource: SliceResource,
): Promise<void> {
  const path = join(dir, resource.path);
  await checkColumns(db, dir, resource, [...RECORD_COLUMNS, VECTOR_ROW]);
  const { filter, platform, counts } = manifest.mirrorlake;
  await check(db, dir, resource, {
    sql: `SELECT count(*) AS rows, count(vector_row) AS vectors, coalesce(max(vector_row) + 1, 0) AS positions,
        count(*) FILTER (id IS NULL OR NOT starts_with(id, ?)) AS foreign_ids,
        count(*) FILTER (src IS DISTINCT FROM ? OR platform IS DISTINCT FROM ? OR lang IS DISTINCT FROM ?) AS foreign_keys,
        count(*) FILTER (prov_hash IS NULL OR prov_ts IS NULL OR prov_ts_ms IS NULL OR prov_ts_ms < ? OR prov_ts_ms >= ?)
          AS foreign_times
      FROM read_parquet(?)`,
    params: [
      `${DOMAIN_PREFIX[platform.domain]}_${platform.code}_`,
      filter.domain,
      filter.platform,
      filter.lang,
      Date.parse(filter.from),
      Date.parse(filter.to),
      [path],
    ],
    expected: {
      rows: resource.rows,
      vectors: counts.vectors,
      positions: counts.vectors,
      foreign_ids: 0,
      foreign_keys: 0,
      foreign_times: 0,
    },
  });
  await checkOrder(db, dir, resource, ["id"]);
}

async function checkRaw(
  db: Database,
  dir: string,
  manifest: SliceManifest,
  resource: SliceResource,
): Promise<void> {
  await checkColumns(db, dir, resource, RAW_COLUMNS);
  const { filter } = manifest.mirrorlake;
  await check(db, dir, resource, {
    sql: `SELECT count(*) AS rows,
        count(*) FILTER (platform IS DISTINCT FROM ? OR lang IS DISTINCT FROM ?) AS foreign_keys,
        count(*) FILTER (id IS NULL OR resource IS NULL OR score IS NULL OR data IS NULL OR NOT json_valid(data)) AS incomplete,
        count(*) FILTER (captured_at IS NULL OR captured_ms IS NULL OR captured_ms < ? OR captured_ms >= ?) AS foreign_times
      FROM read_parquet(?)`,
    params: [
      filter.platform,
      filter.lang,
      Date.parse(filter.from),
      Date.parse(filter.to),
      [join(dir, resource.path)],
    ],
    expected: { rows: resource.rows, foreign_keys: 0, incomplete: 0, foreign_times: 0 },
  });
  await checkOrder(db, dir, resource, ["resource", "id"]);
}

async function checkVectors(
  db: Database,
  dir: string,
  manifest: SliceManifest,
  resource: SliceResource,
): Promise<void> {
  const path = join(dir, resource.path);
  const file = await VectorFile.open(path).catch((cause: Error) =>
    refuseSlice("slice_corrupt", dir, `${resource.path} is ${cause.message}`, { value: path, cause }),
  );
  try {
    const { embedding } = manifest.mirrorlake;
    if (file.length !== resource.rows || embedding === null || file.model !== embedding.model) {
      refuseSlice(
        "slice_content_mismatch",
        dir,
        `${resource.path} has ${file.length} vectors of ${file.model}, not ${resource.rows} of ${embedding?.model}`,
        { value: path },
      );
    }
    const records = join(dir, manifest.resources.find(({ name }) => name === "records")?.path ?? "");
    const sql = "SELECT id FROM read_parquet(?) WHERE vector_row IS NOT NULL ORDER BY vector_row";
    let position = 0;
    for await (const batch of db.stream<{ id: string }>(sql, [[records]])) {
      for (const { id } of batch) {
        const vector = await file.read(position);
        if (vector.id !== id || !allFinite(vector.values)) {
          refuseSlice("slice_content_mismatch", dir, `vector ${position} is not that of ${id}`, {
            value: path,
          });
        }
        position++;
      }
    }
  } finally {
    await file.close();
  }
}

async function checkColumns(
  db: Database,
  dir: string,
  resource: SliceResource,
  columns: readonly { readonly name: string; readonly type: string }[],
): Promise<void> {
  const path = join(dir, resource.path);
  const found = await db
    .rows<{ column_name: string; column_type: string }>("DESCRIBE SELECT * FROM read_parquet(?)", [[path]])
    .catch((cause: Error) =>
      refuseSlice("slice_corrupt", dir, `${resource.path} is not readable Parquet: ${firstLine(cause)}`, {
        value: path,
        cause,
      }),
    );
  const [have, want] = [
    found.map((c) => `${c.column_name} ${c.column_type}`),
    columns.map((c) => `${c.name} ${c.type}`),
  ];
  const wrong = have.find((column, i) => column !== want[i]) ?? want.find((column, i) => column !== have[i]);
  if (wrong !== undefined) {
    refuseSlice("slice_content_mismatch", dir, `the columns of ${resource.path} differ at ${wrong}`, {
      value: path,
    });
  }
}

async function check(
  db: Database,
  dir: string,
  resource: SliceResource,
  question: {
    readonly sql: string;
    readonly params: Parameters<Database["rows"]>[1];
    readonly expected: Readonly<Record<string, number>>;
  },
): Promise<void> {
  const path = join(dir, resource.path);
  const [answer] = await db.rows(question.sql, question.params).catch((cause: Error) =>
    refuseSlice("slice_corrupt", dir, `${resource.path} cannot be read: ${firstLine(cause)}`, {
      value: path,
      cause,
    }),
  );
  for (const [name, expected] of Object.entries(question.expected)) {
    if (answer?.[name] === expected) continue;
    refuseSlice(
      "slice_content_mismatch",
      dir,
      `${resource.path}: ${name} is ${answer?.[name]}, not ${expected}`,
      {
        value: path,
      },
    );
  }
}

/** Checks that keys are sorted and unique, so that rows can be found and merged without sorting again. */
async function checkOrder(
  db: Database,
  dir: string,
  resource: SliceResource,
  key: readonly string[],
): Promise<void> {
  const path = join(dir, resource.path);
  let last: Buffer | undefined;
  for await (const batch of db.stream(`SELECT ${key.join(", ")} FROM read_parquet(?)`, [[path]])) {
    for (const row of batch) {
      const next = Buffer.from(key.map((name) => row[name]).join("\u0000"), "utf8");
      if (last !== undefined && Buffer.compare(last, next) >= 0) {
        refuseSlice(
          "slice_content_mismatch",
          dir,
          `${resource.path} is not sorted by unique ${key.join(", ")}`,
          {
            value: path,
          },
        );
      }
      last = next;
    }
  }
}

function firstLine(error: Error): string {
  return error.message.split("\n")[0]!;
}
