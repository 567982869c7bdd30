// Reads a lake in a process of its own while others install into it: node read-child.js <lake>
// Prints what it finds, again and again, moving on as generations are published, until its input ends. In a campaign it does not pause.
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Lake } from "mirrorlake";

const PAUSE_MS = Number(process.env.MIRRORLAKE_CAMPAIGN ?? 1) > 1 ? 0 : 20;

let stop = false;
process.stdin.on("end", () => {
  stop = true;
});
process.stdin.resume();

const lake = await Lake.open(process.argv[2], { threads: 1 });
do {
  await lake.refresh();
  const { generation, corpus, index } = lake;
  const live = corpus.match({});
  const { rows } = await index.rank("camera", live, { limit: 5 });
  const records = await corpus.records(rows);
  const { total } = await corpus.rawPage({
    platform: "short-video",
    resource: "comment",
    orderBy: "score",
    offset: 0,
    limit: 3,
  });
  const found = await corpus.recordsPage({ orderBy: "id", offset: 0, limit: 1000 });
  if (found.rows.length !== live.count || records.length !== 5)
    throw new Error("the parts of a lake disagree");
  writeSync(1, `${generation} ${corpus.recordCount} ${total}\n`);
  await sleep(PAUSE_MS);
} while (!stop);
await lake.close();
