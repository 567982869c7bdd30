// Asks a lake one query and says which process runs it; it does not close the lake.
import { readFileSync } from "node:fs";
import { openLake } from "mirrorlake";

const [lakePath, query] = process.argv.slice(2);
const lake = await openLake(lakePath, { account: "memory" });
await lake.sql("SELECT 1");
const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
console.log(`process ${children.trim()}`);
console.log(JSON.stringify(await lake.sql(query, [], { timeoutMs: 60_000 })));
