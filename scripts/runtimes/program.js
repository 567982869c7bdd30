// What each runtime runs: files are ingested, a lake is made, searched, queried, exported, served and asked over HTTP. Prints what is found as JSON.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, createLake, ingest, loadAdapter, openLake, startServer } from "mirrorlake";
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

const mapping = join(dir, "mapping.json");
await writeFile(
  mapping,
  JSON.stringify({
    mapping: 1,
    name: "notes",
    info: { title: "Notes", licence: "MIT" },
    sources: [{ name: "notes", files: ["*.parquet"] }],
    defaults: { platform: "forum", lang: { value: "en" } },
    rules: [{ from: "notes", record: { id: "id", fields: { text: "text" } } }],
  }),
);
const report = await ingest([join(dir, "all.parquet")], {
  adapter: await loadAdapter(mapping),
  out: join(dir, "slices"),
  capturedAt: "2026-05-29T12:00:00Z",
});

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
    report.records,
    shown.includes("boots"),
  ]),
);
