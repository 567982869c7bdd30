import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Connection } from "../../src/clickhouse/connection.js";
import { CLICKHOUSE_DEFAULTS } from "../../src/clickhouse/defaults.js";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { checkTree } from "../../src/clickhouse/sql/check-tree.js";
import { LakeTables } from "../../src/clickhouse/sql/lake-tables.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { removeRecords } from "../../src/client/remove-records.js";
import { SAMPLE_CALLS } from "../../src/conformance/sample/sample-calls.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { capture } from "../cli/capture.js";
import { videos } from "../evolution/support.js";
import { batches, INFO } from "../lake/items.js";
import { ESCAPES as FOLDER_ESCAPES } from "../sql/escapes.js";
import { copySampleLake } from "../support/sample-lake.js";
import { answerOf } from "./answer-of.js";
import { ClickHouseNode } from "./clickhouse-node.js";
import { ESCAPES } from "./escapes.js";

const MEMORY = { account: "memory", limits: "off", openingBalance: "1000" } as const;
const DATABASE = "lake";
/** The users that docs/cluster.md recommends: one who answers calls, and one who installs and removes. */
const READER = {
  name: "lake_reader",
  password: "of-a-reader",
  grants: ["GRANT SELECT ON lake.*"],
  most: { max_memory_usage: 4_000_000_000, max_execution_time: 600 },
};
const WRITER = {
  name: "lake_writer",
  password: "of-a-writer",
  grants: [
    "GRANT SELECT, INSERT, CREATE TABLE, DROP TABLE, ALTER TABLE, TRUNCATE ON lake.*",
    "GRANT TABLE ENGINE ON *",
    "GRANT REMOTE ON *.*",
    ...["clusters", "disks", "parts", "tables"].map((table) => `GRANT SELECT ON system.${table}`),
  ],
};

let nodes: ClickHouseNode[] = [];
let dir: string;
const as = ({ name, password }: { name: string; password: string }) =>
  nodes[0]!.address(DATABASE, nodes[0]!.port, `${name}:${password}`);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-cluster-"));
  nodes = await ClickHouseNode.startCluster(2, { users: [READER, WRITER] });
  for (const node of nodes) {
    await node.sql(`CREATE DATABASE ${DATABASE}`);
    await node.sql("CREATE DATABASE other");
    await node.sql("CREATE TABLE other.secret (x String) ENGINE = MergeTree ORDER BY x");
    await node.sql("INSERT INTO other.secret VALUES ('kept from all')");
  }
});

afterAll(async () => {
  for (const node of nodes) await node.remove();
  await rm(dir, { recursive: true, force: true });
});

describe("users of a cluster with the rights of the documents", () => {
  let folder: LakeClient;
  let lake: LakeClient;
  beforeAll(async () => {
    const path = await copySampleLake(dir);
    const named = nodes.flatMap(({ port }) => ["--node", `127.0.0.1:${port}`]);
    const made = await capture(["cluster", "init", "--lake", as(WRITER), "--cluster", "lake", ...named]);
    expect(made.code, made.err).toBe(0);
    await installClickHouse([join(path, "slices")], { lake: as(WRITER) });
    folder = await openLake(path, { ...MEMORY, exact: true });
    lake = await openLake(as(READER), MEMORY);
  });
  afterAll(async () => {
    await folder?.close();
    await lake?.close();
  });

  test("one who may only read answers every call as a folder does", async () => {
    for (const { id, success, empty, bad } of SAMPLE_CALLS)
      for (const params of id.startsWith("account.") ? [] : [success, empty, bad.params])
        if (params !== undefined)
          expect(await answerOf(lake, id, params), id).toEqual(await answerOf(folder, id, params));
    const text = "SELECT platform, count(*) AS n FROM records GROUP BY ALL ORDER BY platform";
    expect(await lake.sql(text)).toEqual(await folder.sql(text));
    // What is read has no limit of time at the server, which the profile's greatest value must not refuse.
    const streamed: unknown[] = [];
    for await (const rows of lake.sqlStream(text)) streamed.push(...rows);
    expect(streamed).toEqual(await folder.sql(text));
    const found = await lake.sql("SELECT id FROM search('wireless mouse', 3) ORDER BY rank");
    expect(found.length).toBeGreaterThan(0);
  });

  test("one who may only read can neither install nor remove, and a wrong password lets nobody in", async () => {
    const slices = join(dir, "more");
    await writeSlices(batches(videos(0, 1)), { out: slices, info: INFO });
    await expect(installClickHouse([slices], { lake: as(READER) })).rejects.toMatchObject({
      code: "cluster_not_allowed",
    });
    const [{ id }] = (await lake.sql<{ id: string }>("SELECT id FROM records LIMIT 1")) as [{ id: string }];
    const removal = removeRecords([{ kind: "record", id }], { lake: as(READER), reason: "asked" });
    await expect(removal).rejects.toMatchObject({ code: "cluster_not_allowed" });
    await expect(openLake(as({ ...READER, password: "wrong" }), MEMORY)).rejects.toMatchObject({
      code: "cluster_not_allowed",
    });
    const told = await capture(["doctor", "--lake", as(READER), "--json"]);
    expect(told.out).toContain("enough to answer calls");
  });

  test("the other one may do what installs, removes and looks after the lake", async () => {
    for (const command of [["verify"], ["cluster", "status"], ["doctor"]]) {
      const told = await capture([...command, "--lake", as(WRITER)]);
      expect(told.code, `${command.join(" ")}: ${told.out}${told.err}`).toBe(0);
    }
    const [{ id }] = (await lake.sql<{ id: string }>("SELECT id FROM records LIMIT 1")) as [{ id: string }];
    await removeRecords([{ kind: "record", id }], { lake: as(WRITER), reason: "asked" });
    expect(await lake.sql("SELECT id FROM records WHERE id = ?", [id])).toEqual([]);
  });
});

const ALL = [...new Set([...ESCAPES, ...FOLDER_ESCAPES.map(([text]) => text)])].map((text) =>
  text.replaceAll("DATABASE", DATABASE),
);
const SETTINGS = { ...CLICKHOUSE_DEFAULTS.confined, max_execution_time: 5, max_memory_usage: "1000000000" };

/**
 * Nodes run as `clickhouse local`, which lets the function file() read any file; a server those of its users' folder. And sqlite() in
 * FROM is refused, but makes an empty file of its argument's name first.
 */
const EXCEPT = /^SELECT .*\bfile`?(?:\/\*\*\/)?\((?:'\/etc|x\))|sqlite\(/i;

/**
 * What the server's rights and settings let through: what it tells of itself, constants, limits that a subquery asks for beyond the
 * profile's, and names of the lake's own tables.
 */
const HARMLESS = new RegExp(
  [
    "^SHOW TABLES$|^EXPLAIN (?:AST )?SELECT 1$|^SELECT 1 FORMAT JSON$|SELECT 1 SETTINGS (?:max_execution_time|allow_ddl)",
    "^SELECT \\* FROM (?:viewIfPermitted|lake\\.records$)|^WITH a AS \\(SELECT \\* FROM users\\), users AS",
    "^SELECT (?:getSetting|getServerSetting|currentUser|user|hostName|FQDN|version|uptime|currentDatabase|serverUUID|tcpPort)\\(",
    "^SELECT (?:filesystemAvailable|sleep|logTrace|queryID|formatQuery|structureToProtobufSchema|chdb|initializeAggregation)\\(",
    "^SELECT (?:\\$\\$x\\$\\$|@@version|\u2018x\u2019|1 # comment|1 AS `x\\n Literal 1`)$",
  ].join("|"),
);

/** What a statement answers under the settings of a query; undefined if the server refuses it. */
async function answer(connection: Connection, text: string): Promise<string | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of connection.stream(text, {}, { settings: SETTINGS })) parts.push(part);
  } catch (error) {
    expect((error as Error).message, text).toMatch(
      / Exception|Exception\b|could not do|refuses|not all tables/,
    );
    return undefined;
  }
  return Buffer.concat(parts).toString();
}

describe("what is no query over the lake, where this library's reading of texts is out of the way", () => {
  let connection: Connection;
  beforeAll(async () => {
    connection = await Connection.open(as(READER), "query");
  });
  afterAll(() => connection?.close());

  test("does not pass the check of the server's tree", async () => {
    const passed: string[] = [];
    for (const text of ALL) {
      const tree = await answer(connection, `EXPLAIN AST ${text}`);
      if (tree === undefined) continue;
      try {
        checkTree(tree.trimEnd().split("\n"), LakeTables.names);
      } catch (error) {
        expect(error, text).toMatchObject({ code: "sql_refused" });
        continue;
      }
      if ((await answer(connection, `SELECT * FROM (${text})`)) !== undefined) passed.push(text);
    }
    // Constants, as ClickHouse writes them, too.
    expect(passed).toEqual(["SELECT $$x$$", "SELECT \u2018x\u2019"]);
  });

  test("reads and changes nothing beyond the lake where that check is out of the way, too", async () => {
    const stateOf = (node: ClickHouseNode) =>
      node.sql(
        "SELECT groupArray((database, name, total_rows)) FROM system.tables WHERE database IN ('other', 'lake')",
      );
    const before = await Promise.all(nodes.map(stateOf));
    const passed: string[] = [];
    for (const text of ALL) {
      if (EXCEPT.test(text)) continue;
      const shown = await answer(connection, text);
      if (shown === undefined) continue;
      passed.push(text);
      expect(shown, text).not.toMatch(/kept from all|root:/);
    }
    expect(passed.filter((text) => !HARMLESS.test(text))).toEqual([]);
    expect(await Promise.all(nodes.map(stateOf))).toEqual(before);
    expect(await nodes[0]!.sql("SELECT * FROM other.secret")).toBe("kept from all");
  });
});
