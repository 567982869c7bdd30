import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { commitLoad, committedLoads } from "../../src/clickhouse/committed-loads.js";
import { Connection } from "../../src/clickhouse/connection.js";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { makeSchema } from "../../src/clickhouse/schema/schema.js";
import { WriterLease } from "../../src/clickhouse/writer-lease.js";
import { openLake } from "../../src/client/open-lake.js";
import { removeRecords } from "../../src/client/remove-records.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { commentId, VIDEO, videos } from "../evolution/support.js";
import { batches, INFO } from "../lake/items.js";
import { useNode } from "./use-node.js";

const used = useNode("writers");

async function slicesOf(name: string, from: number, to: number, edition = 0): Promise<string> {
  const day = edition === 0 ? undefined : 25;
  await writeSlices(batches(videos(from, to, day, edition)), { out: join(used.dir, name), info: INFO });
  return join(used.dir, name);
}

const LOAD = { id: 1, nowMs: 0, model: "", records: 0, raw: 0, slices: [], removes: false, digests: {} };

describe("writers of one lake", () => {
  test("hold the lease one after another", async () => {
    const connection = await Connection.open(await used.newDatabase());
    await makeSchema(connection);
    let [holding, most, turns] = [0, 0, 0];
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        const lease = await WriterLease.take(connection);
        holding += 1;
        most = Math.max(most, holding);
        await lease.assertHeld();
        turns += 1;
        holding -= 1;
        await lease.release();
      }),
    );
    expect([most, turns]).toEqual([1, 6]);
    await connection.close();
  });

  test("cannot make anything visible once their lease ended and another has it", async () => {
    const lake = await used.newDatabase();
    const connection = await Connection.open(lake);
    await makeSchema(connection);
    const stalled = await WriterLease.take(connection);
    const database = lake.split("/").pop()!;
    const name = await used.node.sql(
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE 'writer_%'",
      database,
    );
    await used.node.sql(`ALTER TABLE ${name} MODIFY COMMENT 'stalled 1'`, database);
    const next = await WriterLease.take(connection);
    await expect(commitLoad(connection, LOAD, stalled, undefined)).rejects.toMatchObject({
      code: "cluster_busy",
    });
    const blind = {
      condition: stalled.condition,
      values: stalled.values,
      assertHeld: async () => {},
      lost: () => stalled.lost(),
    };
    await expect(commitLoad(connection, LOAD, blind as never, undefined)).rejects.toMatchObject({
      code: "cluster_busy",
    });
    expect(await committedLoads(connection)).toEqual([]);
    await commitLoad(connection, LOAD, next, undefined);
    expect((await committedLoads(connection)).map(({ id }) => id)).toEqual([1]);
    await stalled.release();
    await next.release();
    await connection.close();
  });

  test("may install at once: all of it is there, each record in its last edition", async () => {
    const lake = await used.newDatabase();
    await installClickHouse([await slicesOf("start", 0, 5)], { lake });
    const parts = [await slicesOf("a", 5, 12), await slicesOf("b", 8, 15, 1), await slicesOf("c", 3, 9, 1)];
    await Promise.all(parts.map((part) => installClickHouse([part], { lake })));
    await using client = await openLake(lake, { account: "memory", limits: "off" });
    expect(client.lake.corpus.recordCount).toBe(15);
    const { rows } = await client.lake.corpus.recordsPage({ orderBy: "id", offset: 0, limit: 100 });
    const editions = (await client.lake.corpus.records(rows)).map(({ text }) => text!.at(-1));
    expect(editions.join("")).toBe("000111111111111");
  });

  test("fail clearly where two bring the same, and nothing is doubled", async () => {
    const lake = await used.newDatabase();
    const slices = await slicesOf("same", 0, 6);
    const both = await Promise.allSettled([1, 2].map(() => installClickHouse([slices], { lake })));
    const failed = both.filter((each) => each.status === "rejected");
    expect(failed.map(({ reason }) => (reason as { code: string }).code)).toEqual(["cluster_busy"]);
    expect(await installClickHouse([slices], { lake })).toMatchObject({ change: "none" });
    const database = lake.split("/").pop()!;
    expect(await used.node.sql("SELECT count() FROM records", database)).toBe("6");
  });

  test("know the tables as they are when they have the lease", async () => {
    const lake = await used.newDatabase();
    const database = lake.split("/").pop()!;
    const run = (sql: string) => used.node.sql(sql, database);
    await installClickHouse([await slicesOf("quoted", 0, 3)], { lake });
    await run("TRUNCATE TABLE schema_version");
    await run("INSERT INTO schema_version (version) VALUES (6)");
    // As on several servers, whose tables a removal leaves as they are.
    await run("CREATE TABLE schema_version_local AS schema_version");
    const connection = await Connection.open(lake);
    const lease = await WriterLease.take(connection);
    const target = { kind: "raw", platform: VIDEO, resource: "comment", id: commentId(1, 0) } as const;
    const { signal } = new AbortController();
    const waits = vi.spyOn(signal, "throwIfAborted");
    const removed = removeRecords([target], { lake, reason: "takedown", signal });
    await expect.poll(() => waits.mock.calls.length).toBeGreaterThan(0);
    await run("INSERT INTO schema_version (version) VALUES (8)");
    await lease.release();
    await removed;
    await connection.close();
    // Tables of version 6 have no order of their own for what is shown otherwise.
    expect(await run("SELECT count() > 0, countIf(turn > by) = count() FROM redactions")).toBe("1\t1");
  });
});
