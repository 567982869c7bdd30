import { join } from "node:path";
import { Database } from "../../duckdb/database.js";
import { quoteName, quoteText } from "../../duckdb/quote-sql.js";
import { engineThreads } from "../../slice/engine-threads.js";
import { RAW_COLUMNS } from "../../slice/raw-columns.js";
import { SLICE_FILES } from "../../slice/read-slice-manifest.js";
import { RECORD_COLUMNS, VECTOR_ROW } from "../../slice/record-columns.js";
import { GENERATION_FILES } from "../../store/generation/generation-manifest.js";
import { givenHash } from "../../store/generation/given-hash.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import type { RemovalList } from "../../store/removals/removal-list.js";
import { createRemovalTables } from "../../store/removals/removal-tables.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { findRedactionFaults } from "./verify-redacted.js";

/** Takes down a problem: its code, what is wrong, and the row or id. */
export type Wrong = (code: string, message: string, value?: unknown) => void;

interface Kind {
  readonly table: "records" | "raw";
  readonly name: string;
  readonly key: string;
  readonly ms: string;
  /** Columns of a slice, and those of the generation that keep what the source said. */
  readonly columns: readonly (readonly [name: string, kept: string])[];
  /**
   * Columns that change when what they quote is removed, and the rows in which they may have: an alias `item` to be joined. There they
   * are compared text by text.
   */
  readonly redacted: readonly string[];
  readonly quoting: string;
}

/** SQL of an item's value as the source gave it, where what is shown may be derived at install. */
const KEPT: Readonly<Record<string, string>> = {
  price_drop_7d: "item.price_drop_given",
  prov_hash: givenHash("item"),
};

const KINDS: readonly Kind[] = [
  {
    table: "records",
    name: "record",
    key: "id",
    ms: "prov_ts_ms",
    columns: [...RECORD_COLUMNS, VECTOR_ROW].map(({ name }) => [name, KEPT[name] ?? fieldOf(name)]),
    redacted: ["comment_thread", "review_sample", "prov_hash"],
    quoting: "removed_quotes WHERE removed_quotes.id = item.id",
  },
  {
    table: "raw",
    name: "raw item",
    key: "platform, resource, id",
    ms: "captured_ms",
    columns: RAW_COLUMNS.map(({ name }) => [name, fieldOf(name)]),
    redacted: ["data"],
    quoting: "quoted_things thing WHERE thing.platform = item.platform AND thing.id = item.id",
  },
];

interface ComparingOptions {
  readonly removals: RemovalList;
  /** Folder for what the engine cannot hold in memory. */
  readonly tempDirectory: string;
  /** Called once all rows of a table were compared. */
  readonly onCompared?: (table: "records" | "raw") => void;
  readonly signal?: AbortSignal | undefined;
}

/** What a comparison takes at once. */
interface CompareLimits {
  /** Memory of the engine. */
  readonly memoryLimit: string;
  /** Rows of a side: the engine holds their keys, and more of them than it can spill. */
  readonly comparedRows: number;
}

/**
 * Compares the visible rows of a generation's database with its slices: which there are, and every field of each as the source gave
 * it. Of the samples of items that quote what was removed, nothing but such quotes may be left out.
 * @param limits what is found does not depend on them
 */
export async function verifyAgainstSlices(
  dir: string,
  slices: readonly SourceSlice[],
  { removals, tempDirectory, signal, onCompared }: ComparingOptions,
  wrong: Wrong,
  { memoryLimit, comparedRows }: CompareLimits = LAKE_DEFAULTS.verify,
): Promise<void> {
  const db = await Database.openKept(":memory:", {
    memoryLimit,
    threads: engineThreads(slices.map(({ manifest }) => manifest)),
    tempDirectory,
  });
  try {
    await createRemovalTables(db, [...removals.removals()], slices);
    await db.attach(join(dir, GENERATION_FILES.database), "corpus");
    await db.run("CREATE TABLE files (path VARCHAR, root VARCHAR)");
    for (const kind of KINDS) {
      await compare(db, kind, slices, { comparedRows, signal }, wrong);
      onCompared?.(kind.table);
    }
  } finally {
    await db.close();
  }
}

async function compare(
  db: Database,
  kind: Kind,
  slices: readonly SourceSlice[],
  { comparedRows, signal }: Pick<CompareLimits & ComparingOptions, "comparedRows" | "signal">,
  wrong: Wrong,
): Promise<void> {
  const { table, name, key, ms } = kind;
  const files = slices
    .filter(({ manifest }) => manifest.resources.some((resource) => resource.name === table))
    .map(({ dir, manifest }) => [join(dir, SLICE_FILES[table].path), manifest.mirrorlake.root]);
  await db.run("DELETE FROM files");
  await db.append("files", files);
  const rows = slices.reduce((sum, { manifest }) => sum + manifest.mirrorlake.counts[table], 0);
  const shares = Math.max(1, Math.ceil(rows / comparedRows));
  const share = `WHERE hash(${key}) % ${shares} = ?`;
  const visible = `ANTI JOIN removed_${table} USING (${key}) ${share}`;
  const given =
    files.length === 0
      ? undefined
      : `read_parquet([${files.map(([path]) => quoteText(path!)).join(", ")}], filename = true)`;
  const newest =
    given === undefined
      ? `SELECT ${key}, ${ms} AS ms FROM corpus.${table} ${share} AND false`
      : `SELECT ${key}, max(${ms}) AS ms FROM ${given} ${visible} GROUP BY ALL`;
  const shown = `SELECT ${key}, ${ms} AS ms FROM corpus.${table} ${visible}`;
  const checks = [
    ["missing", newest, shown, "is in the slices, but not shown"],
    ["foreign", shown, newest, "is shown, but not in the slices"],
  ];
  if (given !== undefined)
    checks.push([
      "differs",
      `SELECT ${key}, root, ${contentOf(kind, "kept")} AS content FROM corpus.${table} item JOIN corpus.slices USING (slice) ${visible}`,
      `SELECT ${key}, root, ${contentOf(kind, "slice")} AS content FROM ${given} item JOIN files ON path = filename ${share}`,
      "is not what its slice says",
    ]);
  for (const [code, from, less, say] of checks) {
    const sql = `SELECT DISTINCT ${key} FROM ((${from}) EXCEPT (${less})) ORDER BY ALL LIMIT ${LAKE_DEFAULTS.verifyProblems}`;
    let most = LAKE_DEFAULTS.verifyProblems;
    for (let n = 0; n < shares && most > 0; n++) {
      for await (const batch of db.stream(sql, [n, n], signal)) {
        for (const found of batch.slice(0, most)) {
          const id = Object.values(found).join("/");
          wrong(`${name.split(" ")[0]}_${code}`, `${id} ${say}`, id);
        }
        most -= Math.min(most, batch.length);
      }
    }
  }
  if (given === undefined) return;
  let differing = 0;
  for await (const id of findRedactionFaults(db, table, given, signal)) {
    wrong(`${name.split(" ")[0]}_differs`, `The samples of ${id} are not what its slice says`, id);
    if (++differing >= LAKE_DEFAULTS.verifyProblems) return;
  }
}

/** SQL of a 64-bit hash of the fields of an `item`, of its slice or as they are kept: against damage, not against forgers. */
function contentOf({ columns, redacted, quoting }: Kind, of: "slice" | "kept"): string {
  const fields = columns.map(([name, kept]) => {
    const field = of === "kept" ? kept : fieldOf(name);
    return redacted.includes(name) ? `if(EXISTS (FROM ${quoting}), NULL, ${field})` : field;
  });
  return `hash(${fields.join(", ")})`;
}

function fieldOf(name: string): string {
  return `item.${quoteName(name)}`;
}
