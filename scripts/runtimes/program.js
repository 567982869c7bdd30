// What each runtime runs: a lake is made, searched, queried, exported, served and asked over HTTP. Prints what is found as JSON.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, createLake, openLake, startServer } from "mirrorlake";
import { table } from "mirrorlake/notebook";
import { createTestLake } from "mirrorlake/testing";

const RECORDS = 3_000;
const dir = process.argv[2];
const path = join(dir, "lake");
const words = (number) => `note ${number} of a bridge over river ${number % 7}`;
await createLake(
  path,
  Array.from({ length: RECORDS }, (_, i) => ({ platform: "forum", lang: "en", text: words(i) })),
);

const lake = await openLake(path);
const { data } = await lake.search({ query: "note 1234", limit: 1 });
const counts = await lake.sql("SELECT count(*) AS n FROM records JOIN mine USING (platform)", [], {
  tables: { mine: [{ platform: "forum" }] },
});
const { records } = await lake.export(join(dir, "all.parquet"), { format: "parquet" });
const magic = (await readFile(join(dir, "all.parquet"))).subarray(0, 4).toString();

const server = await startServer(lake.service, { port: 0 });
const client = connect({ baseUrl: server.url, apiKey: lake.apiKey });
const over = await client.search({ query: "note 1234", limit: 1 });
await client.close();
await server.close();
await lake.close();

const test = await createTestLake({ records: [{ platform: "forum", lang: "en", text: "boots" }] });
const shown = table(await test.search({ query: "boots" })).toHTML();
await test.close();
console.log(
  JSON.stringify([
    data[0].text,
    over.data[0].text,
    over.meta.used_free_quota,
    counts,
    records,
    magic,
    shown.includes("boots"),
  ]),
);
