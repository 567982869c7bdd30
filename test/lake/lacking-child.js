// Opens and diagnoses a lake: with no file descriptor left, or as a user without rights. Prints both errors.
import { closeSync, openSync } from "node:fs";
import { diagnoseLake, Lake } from "mirrorlake";

const [lake, lack] = process.argv.slice(2);
// What is loaded at the first call must be there before.
await (await Lake.open(lake)).close();
await diagnoseLake(lake);
const held = [];
if (lack === "user") process.setuid?.(65534);
else {
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch {
    // No more.
  }
}
const known = ({ code, remedy }) => ({ code, remedy });
const opened = await Lake.open(lake).then((open) => open.close(), known);
const found = await diagnoseLake(lake).then(
  ({ findings }) => findings.filter(({ level }) => level === "error").map(known),
  known,
);
for (const fd of held) closeSync(fd);
console.log(JSON.stringify({ opened, found }));
