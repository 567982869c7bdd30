// Removes a record from a lake, or compacts it, in a process of its own, which tests kill:
// node evolve-child.js <lake> remove <id> | node evolve-child.js <lake> compact
import { writeSync } from "node:fs";
import { compactLake, removeRecords } from "mirrorlake";

const [lake, what, id] = process.argv.slice(2);
writeSync(1, "ready\n");
if (what === "remove") await removeRecords([{ kind: "record", id }], { lake, reason: "test" });
else {
  await compactLake({
    lake,
    threads: 1,
    onProgress: ({ phase, done }) => writeSync(1, `${phase} ${done}\n`),
  });
}
writeSync(1, "done\n");
