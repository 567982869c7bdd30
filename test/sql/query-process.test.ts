import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { serialize } from "node:v8";
import { compactLake, type LakeClient, openLake, removeRecords } from "mirrorlake";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLake as openHere } from "../../src/client/open-lake.js";
import { plainRows } from "../../src/duckdb/results/plain-batch.js";
import type { LakeView } from "../../src/lake/open/open-view.js";
import { sqlSource } from "../../src/lake/query/lake-sql.js";
import { openEngine } from "../../src/sql/confined-engine.js";
import { QueryPool } from "../../src/sql/query-pool.js";
import { planSession } from "../../src/sql/session-plan.js";
import { NOTHING_REMOVED } from "../../src/store/removals/removed-rows.js";
import type { TemporaryLake } from "../support/sample-lake.js";
import { temporaryRichLake } from "./rich-lake.js";

let built: TemporaryLake;
let lake: LakeClient;
beforeAll(async () => {
  built = await temporaryRichLake();
  lake = await openLake(built.path, { account: "memory" });
});
afterAll(async () => {
  await lake?.close();
  await built?.remove();
});

/** Runs on within one call of the engine, which heeds no interrupt. */
const DEAF =
  "SELECT count(*) FROM (SELECT repeat('e', 60000) || x AS s, '%e%e%e%e%e%zzq%' AS p FROM range(50) r(x)) WHERE s LIKE p";
const MANY = "SELECT range AS n, range::VARCHAR AS t FROM range(100000)";
const ALL_TYPES = `SELECT * FROM (VALUES
  (true, 1::TINYINT, 2::UBIGINT, 9007199254740993, -3::HUGEINT, 1.25, 0.5::FLOAT, 'é\ufeff', DATE '2026-05-29', [1, NULL],
    {'a': 'x', 'b': [1.5]}, '\\x00\\xff'::BLOB, MAP {'k': 1}, [0.5, 1]::FLOAT[2], TIMESTAMPTZ '2026-05-29 10:00:00.000001+00',
    INTERVAL 1 DAY, uuid '00000000-0000-0000-0000-000000000001', 12345678901234567890.5::DECIMAL(30, 1), 7, 2.5::DOUBLE, TIME '10:00'),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (false, -1, 0, 5, 5, -0.5, 'nan', '', DATE '1969-12-31', [], {'a': NULL, 'b': []}, ''::BLOB, MAP {}, [1, 2],
    TIMESTAMPTZ '1900-01-01 00:00:00+00', INTERVAL 2 MONTH, NULL, -1, 8, 'inf', TIME '00:00')) t(a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,u,v)`;

const data = () => {
  const view = lake.lake as unknown as LakeView;
  return { ...sqlSource(view), vectors: view.index.vectorPlaces };
};
const never = new AbortController().signal;

/** A pool whose processes a test sees. @param program what starts the file of the process, that file by default */
function watched(
  program?: string,
  limits?: ConstructorParameters<typeof QueryPool>[1],
): { pool: QueryPool; started: ChildProcess[] } {
  const started: ChildProcess[] = [];
  const pool = new QueryPool(() => {
    const file = fileURLToPath(new URL("../../dist/lake/query/mirrorlake-sql.js", import.meta.url));
    const args = program === undefined ? [file] : ["--eval", program, file];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe", "pipe"] });
    started.push(child);
    return child;
  }, limits);
  return { pool, started };
}

const PLAIN = { byColumn: false, timeoutMs: 60_000 };

function ask(pool: QueryPool, text: string, signal = never, memoryLimit = "512MB") {
  return pool.run(data(), { text, params: [] }, { ...PLAIN, memoryLimit }, signal);
}

async function rows(batches: ReturnType<typeof ask>) {
  const all: Record<string, unknown>[] = [];
  for await (const batch of batches) all.push(...plainRows(batch as never));
  return all;
}

/** Whether a process exists that has not ended. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Processor time of a process, in hundredths of a second. */
function processorTime(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ").slice(11, 13);
  return Number(user) + Number(system);
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("a query in a process", () => {
  test("gives values of every type as the engine in this process does", async () => {
    const source = sqlSource(lake.lake as unknown as LakeView);
    const db = await openEngine(planSession(source, {}), source.vectors);
    try {
      expect(await lake.sql(ALL_TYPES)).toEqual(await db.rows(ALL_TYPES));
      const doubles =
        "SELECT range / 3 AS a, range::INTEGER AS b, NULL::FLOAT[2] AS c FROM range(5000) UNION ALL SELECT 1.5, 2, [1, 0.5]::FLOAT[2]";
      expect(await lake.sql(doubles)).toEqual(await db.rows(doubles));
      expect(await lake.sql("SELECT 1 AS a WHERE false")).toEqual([]);
    } finally {
      await db.close();
    }
  });

  test("that heeds no interrupt ends at its time-out, and the next one is answered", {
    tags: "slow",
  }, async () => {
    const { pool, started } = watched();
    try {
      expect(await rows(ask(pool, "SELECT 1 AS one"))).toEqual([{ one: 1 }]);
      const reason = new Error("time is up");
      const timeout = new AbortController();
      const before = processorTime(started[0]!.pid!);
      const asked = expect(rows(ask(pool, DEAF, timeout.signal))).rejects.toBe(reason);
      // It is within that call once it has worked for longer than it takes to get there.
      await until(() => processorTime(started[0]!.pid!) > before + 50);
      timeout.abort(reason);
      await asked;
      await until(() => !lives(started[0]!.pid!));
      expect(await rows(ask(pool, "SELECT 1 AS one"))).toEqual([{ one: 1 }]);
      expect(started).toHaveLength(2);
    } finally {
      await pool.close();
    }
  });

  test("that is interrupted or left early leaves its process to the next", async () => {
    const { pool, started } = watched();
    try {
      for await (const batch of ask(pool, MANY)) {
        expect(batch.length).toBe(2048);
        break;
      }
      const stop = new AbortController();
      const stream = ask(pool, MANY, stop.signal);
      await stream.next();
      stop.abort(new Error("enough"));
      await expect(stream.next()).rejects.toThrow("enough");
      const unsendable = pool.run(data(), { text: "SELECT ?", params: [() => 1] as never }, PLAIN, never);
      await expect(unsendable.next()).rejects.toMatchObject({ code: "sql_params" });
      await expect(rows(ask(pool, "SELEC 1"))).rejects.toMatchObject({ code: "sql_syntax" });
      expect(await rows(ask(pool, "SELECT count(*) AS n FROM slices"))).toHaveLength(1);
      expect(started).toHaveLength(1);
    } finally {
      await pool.close();
    }
  });

  test("that is given up while its process starts leaves it to the next", { tags: "slow" }, async () => {
    const { pool, started } = watched("setTimeout(() => import(process.argv[1]), 1000)");
    try {
      for (let round = 0; round < 3; round++) {
        const stop = new AbortController();
        const asked = expect(rows(ask(pool, "SELECT 1 AS one", stop.signal))).rejects.toThrow("enough");
        await until(() => started.length === 1);
        stop.abort(new Error("enough"));
        await asked;
      }
      expect(await rows(ask(pool, "SELECT 2 AS two"))).toEqual([{ two: 2 }]);
      expect(started).toHaveLength(1);
    } finally {
      await pool.close();
    }
  });

  test("that nobody reads on makes no more than two batches, and others run meanwhile", {
    tags: "slow",
  }, async () => {
    const { pool, started } = watched();
    try {
      const parked = Array.from({ length: 4 }, () => ask(pool, MANY));
      for (const stream of parked) expect((await stream.next()).value).toMatchObject({ length: 2048 });
      expect(await rows(ask(pool, "SELECT 2 AS two"))).toEqual([{ two: 2 }]);
      expect(started.length).toBeLessThanOrEqual(5);
      for (const stream of parked) expect(await rows(stream)).toHaveLength(100_000 - 2048);
    } finally {
      await pool.close();
    }
  });

  test("that is not read on leaves its process to others where there are no more", async () => {
    const { pool, started } = watched(undefined, { most: 2, readerMs: 0 });
    try {
      const [first, second] = [ask(pool, MANY), ask(pool, `${MANY} ORDER BY n`)];
      for (const stream of [first, second])
        expect((await stream.next()).value).toMatchObject({ length: 2048 });
      // Both processes say meanwhile that they wait: one of them is enough.
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await rows(ask(pool, "SELECT 2 AS two"))).toEqual([{ two: 2 }]);
      expect(started).toHaveLength(3);
      const ended = await Promise.allSettled([rows(first), rows(second)]);
      expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(ended.find(({ status }) => status === "rejected")).toMatchObject({
        reason: { code: "sql_timeout", message: expect.stringContaining("others need its process") },
      });
    } finally {
      await pool.close();
    }
  });

  test("that is not read on does not keep the program running", async () => {
    const index = new URL("../../dist/lazy-index.js", import.meta.url).href;
    const program = `import { openLake } from ${JSON.stringify(index)};
      const lake = await openLake(process.argv[1], { account: "memory" });
      const stream = lake.sqlStream(${JSON.stringify(MANY)})[Symbol.asyncIterator]();
      console.log((await stream.next()).value.length);`;
    const args = ["--input-type=module", "--eval", program, built.path];
    expect((await promisify(execFile)(process.execPath, args)).stdout).toBe("2048\n");
  });

  test("that takes too much memory is ended, and says so", { tags: "slow" }, async () => {
    const { pool } = watched();
    try {
      const hungry = "SELECT length(list_reduce(list_transform(range(40), x -> 'e'), (a, b) -> a || a))";
      await expect(rows(ask(pool, hungry, never, "64MB"))).rejects.toMatchObject({ code: "sql_memory" });
      expect(await rows(ask(pool, "SELECT 1 AS one", never, "64MB"))).toEqual([{ one: 1 }]);
    } finally {
      await pool.close();
    }
  });

  test("cannot be asked where no process can be started", async () => {
    const pool = new QueryPool(() =>
      spawn("/nowhere/at/all", { stdio: ["ignore", "ignore", "pipe", "pipe"] }),
    );
    await expect(rows(ask(pool, "SELECT 1"))).rejects.toMatchObject({ code: "sql_process_failed" });
    const silent = new QueryPool(() =>
      spawn(process.execPath, ["-e", "process.exit(3)"], { stdio: ["ignore", "ignore", "pipe", "pipe"] }),
    );
    await expect(rows(ask(silent, "SELECT 1"))).rejects.toMatchObject({
      code: "sql_process_failed",
      message: expect.stringContaining("code 3"),
    });
    await pool.close();
    await silent.close();
  });
});

test("a process that cannot be reached has not taken too much memory", async () => {
  const pool = new QueryPool(() =>
    spawn(process.execPath, ["--eval", "require('node:fs').closeSync(3); setInterval(() => {}, 1e6)"], {
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    }),
  );
  await expect(rows(ask(pool, "SELECT 1"))).rejects.toMatchObject({ code: "sql_process_failed" });
  await pool.close();
});

describe("the process of a lake", () => {
  const child = fileURLToPath(new URL("./sql-child.js", import.meta.url));

  test("does not keep a program running that does not close the lake", { tags: "slow" }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [child, built.path, "SELECT 7 AS n"]);
    expect(stdout).toContain('[{"n":7}]');
    const pid = Number(/process (\d+)/.exec(stdout)![1]);
    await until(() => !lives(pid));
  });

  test("is waited for by a program that leaves a result early and ends it at once", async () => {
    const leaver = fileURLToPath(new URL("./leave-early-child.js", import.meta.url));
    for (let round = 0; round < 3; round++) {
      const { stdout } = await promisify(execFile)(process.execPath, [leaver]);
      expect(stdout).toBe("ended\n");
    }
  });

  test.each(["SIGKILL", "SIGINT"] as const)(
    "ends with its parent, ended by %s while a query runs",
    { tags: "slow" },
    async (signal) => {
      const parent = spawn(process.execPath, [child, built.path, DEAF], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const pid = await new Promise<number>((resolve) => {
        let said = "";
        parent.stdout.on("data", (text) => {
          said += text;
          const found = /process (\d+)/.exec(said);
          if (found !== null) resolve(Number(found[1]));
        });
      });
      expect(lives(pid)).toBe(true);
      parent.kill(signal);
      await until(() => !lives(pid));
    },
  );

  test("sees what is removed meanwhile, and lets go of a generation that the lake leaves", {
    tags: "slow",
  }, async () => {
    const own = await openLake(built.path, { account: "memory" });
    const before = childrenOf(process.pid);
    try {
      const count = async () => Number((await own.sql("SELECT count(*) AS n FROM records"))[0]!.n);
      const all = await count();
      const [pid] = childrenOf(process.pid).filter((id) => !before.includes(id));
      await removeRecords([{ kind: "record", id: "web_doc_awkward-3" }], {
        lake: built.path,
        reason: "asked for",
      });
      expect(await count()).toBe(all - 1);
      await compactLake({ lake: built.path });
      await own.refresh();
      await until(() => !lives(pid!));
      expect(await count()).toBe(all - 1);
    } finally {
      await own.close();
    }
  });

  test("ends with the lake, which waits for a running query", async () => {
    const own = await openLake(built.path, { account: "memory" });
    const before = childrenOf(process.pid);
    const asked = own.sql("SELECT count(*) AS n FROM range(30000000)");
    await until(() => childrenOf(process.pid).length > before.length);
    const [pid] = childrenOf(process.pid).filter((id) => !before.includes(id));
    const closed = own.close();
    expect(await asked).toEqual([{ n: 30_000_000 }]);
    await closed;
    expect(lives(pid!)).toBe(false);
    await expect(own.sql("SELECT 1")).rejects.toMatchObject({ code: "lake_closed" });
  });
});

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

test("where the file of the process is missing, a query runs in this process, and its promise ends at its time-out", async () => {
  const here = await openHere(built.path, { account: "memory" });
  try {
    expect(await here.sql("SELECT count(*) AS n FROM slices")).toHaveLength(1);
    const slow =
      "SELECT sum(length(s)) FROM (SELECT levenshtein(repeat('e', 20000) || x, repeat('f', 20000))::VARCHAR AS s FROM range(2) r(x))";
    await expect(here.sql(slow, [], { timeoutMs: 100 })).rejects.toMatchObject({ code: "sql_timeout" });
    let rows = 0;
    for await (const batch of here.sqlStream(MANY, [], { timeoutMs: 2_500 })) {
      if (rows === 0) await new Promise((resolve) => setTimeout(resolve, 2_700));
      rows += batch.length;
    }
    expect(rows).toBe(100_000);
  } finally {
    await here.close();
  }
});

test("rows that were removed come to the process as bits, however many they are", () => {
  const rows = Array.from({ length: 100_000 }, (_, n) => 2 * n);
  const plan = planSession(
    {
      database: "corpus.duckdb",
      slices: () => [],
      removed: { ...NOTHING_REMOVED, records: rows, raw: rows },
      vectorModel: "none",
    },
    {},
  );
  expect(serialize(plan).length).toBeLessThan(100_000);
});
