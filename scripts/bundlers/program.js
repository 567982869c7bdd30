// What is bundled: 20,000 records are written as slices, installed, and searched. Prints what is found as JSON.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { installSlices, openLake, writeSlices } from "mirrorlake";

const RECORDS = 20_000;
const BATCH = 1_000;
const WORDS = ["lamp", "river", "stone", "market", "mouse", "phone", "garden", "train", "cloud", "coffee"];

async function* records() {
  for (let first = 0; first < RECORDS; first += BATCH) {
    yield Array.from({ length: BATCH }, (_, i) => ({ kind: "record", record: recordOf(first + i) }));
  }
}

function recordOf(number) {
  const words = Array.from({ length: 12 }, (_, i) => `${WORDS[(number * (i + 3)) % 10]}${number % (i + 7)}`);
  return {
    id: `web_gnw_${number}`,
    src: "web",
    platform: "global-news",
    lang: "en",
    title: `article ${number}`,
    text: words.join(" "),
    sentiment: { score: 0, label: "neutral" },
    entities: [],
    extra: {},
    prov: { ts: "2026-05-20T12:00:00+00:00" },
  };
}

async function main(dir) {
  await rm(dir, { recursive: true, force: true });
  const slices = join(dir, "slices");
  const lake = join(dir, "lake");
  await writeSlices(records(), {
    out: slices,
    info: { title: "Articles", licence: "MIT", attribution: "Mirrorlake, generated", platforms: [] },
  });
  await installSlices([slices], { lake, threads: 2 });
  const client = await openLake(lake, { account: "memory" });
  try {
    const { data } = await client.search({ query: "article 12345", freshness: "90d", limit: 3 });
    const [row] = await client.sql("SELECT count(*) AS n FROM records");
    if (row.n !== RECORDS) throw new Error(`SQL counts ${row.n} records`);
    console.log(JSON.stringify(data.map(({ id }) => id)));
  } finally {
    await client.close();
  }
}

main(process.argv[2]).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
