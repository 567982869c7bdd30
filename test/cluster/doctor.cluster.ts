import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import type { Diagnosis } from "../../src/client/diagnose-lake.js";
import { openLake } from "../../src/client/open-lake.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { capture } from "../cli/capture.js";
import { videos } from "../evolution/support.js";
import { batches, INFO } from "../lake/items.js";
import { ClickHouseNode } from "./clickhouse-node.js";

const DATABASE = "examined";
/** What the profile of the user sets. */
const PROFILE = ["skip_unavailable_shards=1", "max_result_rows=500000"];
let nodes: ClickHouseNode[] = [];
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-cluster-"));
  nodes = await ClickHouseNode.startCluster(2, { replicas: 2, settings: PROFILE });
  for (const node of nodes) await node.sql(`CREATE DATABASE ${DATABASE}`);
});

afterAll(async () => {
  for (const node of nodes) await node.remove();
  await rm(dir, { recursive: true, force: true });
});

const lake = () =>
  `clickhouse://default@${nodes.map(({ port }) => `127.0.0.1:${port}`).join()}/${DATABASE}?timeout=60` as const;

/** What `doctor` says beside the profile, as pairs of level and code. */
async function found(...more: readonly string[]) {
  const { code, out, err } = await capture(["doctor", "--lake", lake(), "--json", ...more]);
  const { ok, findings } = JSON.parse(out || "{}") as Diagnosis;
  expect(code, err).toBe(ok ? 0 : 1);
  for (const { remedy } of findings) expect(remedy).not.toBe("");
  return findings
    .filter((each) => each.code !== "cluster_profile" && each.code !== "disk_space")
    .map(({ level, code }) => `${level} ${code}`);
}

test("says that there is no lake, then that it is empty, then that all is well", async () => {
  expect(await found()).toEqual(["error lake_not_found"]);
  const names = nodes.flatMap(({ port }) => ["--node", `127.0.0.1:${port}`]);
  const made = await capture(["cluster", "init", "--lake", lake(), "--cluster", "lake_1", ...names]);
  expect(made.code, made.err).toBe(0);
  expect(await found()).toEqual(["note lake_empty"]);
  const out = join(dir, "slices");
  await writeSlices(batches(videos(0, 6)), { out, info: INFO });
  await installClickHouse([out], { lake: lake() });
  expect(await found()).toEqual([]);
});

test("names what the profile of the user sets", async () => {
  const { out, code } = await capture(["doctor", "--lake", lake()]);
  expect(code).toBe(0);
  expect(out).toContain(
    "sets skip_unavailable_shards = 1, which would cut answers short; Mirrorlake overrules it",
  );
  expect(out).toContain("sets max_result_rows = 500000: calls that need more fail");
});

test("finds a load that nobody completed, and one that replicas differ in", async () => {
  const columns = "(load, ordinal, id)";
  for (const node of nodes)
    await node.sql(`INSERT INTO records_local ${columns} VALUES (7, 0, 'x')`, DATABASE);
  expect(await found()).toEqual(["warning load_unfinished"]);
  for (const node of nodes) await node.sql("ALTER TABLE records_local DROP PARTITION 7", DATABASE);
  await nodes[1]!.sql("INSERT INTO loads_local (load, removes) VALUES (9, 1)", DATABASE);
  expect(await found()).toEqual(["warning cluster_replicas_differ"]);
  await nodes[1]!.sql("ALTER TABLE loads_local DELETE WHERE load = 9 SETTINGS mutations_sync = 1", DATABASE);
});

test("names an account that does not answer", async () => {
  const account = ["--account", `postgres://me:secret@127.0.0.1:1/lake`];
  expect(await found(...account)).toEqual(["error account_unreachable"]);
  const { out } = await capture(["doctor", "--lake", lake(), ...account]);
  expect(out).not.toContain("secret");
});

test("names an embedder of an older version, which is whole", async () => {
  const change = `UPDATE bytes = replace(bytes, '"formatVersion": 6', '"formatVersion": 4') WHERE file = 'model.json'`;
  for (const node of nodes)
    await node.sql(`ALTER TABLE models_local ${change} SETTINGS mutations_sync = 1`, DATABASE);
  expect(await found()).toEqual(["error cluster_older_format"]);
  await expect(openLake(lake(), { account: "memory" })).rejects.toMatchObject({
    code: "cluster_older_format",
    message: expect.stringMatching(/^The embedder reflective-\w+ of clickhouse:\S+ has format 4/),
    remedy: "Install the slices again into an empty database.",
  });
  const { out } = await capture(["verify", "--lake", lake()]);
  expect(out).toContain("has format 4");
  expect(out).not.toContain("not whole");
});

test("finds an embedder that is not whole, and a table that is gone", async () => {
  for (const node of nodes) await node.sql("TRUNCATE TABLE models_local", DATABASE);
  expect(await found()).toEqual(["error cluster_damaged"]);
  const { out } = await capture(["verify", "--lake", lake(), "--json"]);
  expect(JSON.parse(out)).toMatchObject({ ok: false, problems: [{ code: "cluster_damaged" }] });
  await nodes[1]!.sql("DROP TABLE postings_local", DATABASE);
  expect(await found()).toEqual(["error cluster_table_missing"]);
});

test("names a server that does not answer: a warning while another one does", async () => {
  await nodes[1]!.kill();
  expect(await found()).toContain("warning cluster_unreachable");
  expect(await found()).toContain("warning cluster_server_away");
  await nodes[0]!.kill();
  expect(await found()).toEqual(["error cluster_unreachable", "error cluster_unreachable"]);
});
