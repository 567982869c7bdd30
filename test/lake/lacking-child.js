// Opens and diagnoses a lake: with no file descriptor left, or as a user without rights. Prints both errors. With "salt" it asks for the
// salt of authors and diagnoses the account, as a user without rights; with "account" it asks for that, with no file descriptor left.
import { closeSync, openSync } from "node:fs";
import { authorSaltOf, diagnoseLake, Lake } from "mirrorlake";
import { accountError } from "../../build/account/store/sqlite-error.js";
import { withDatabase } from "../../build/account/store/sqlite-file.js";

const [lake, lack] = process.argv.slice(2);
// What is loaded at the first call must be there before.
await (await Lake.open(lake)).close();
await diagnoseLake(lake);
const file = `${lake}/account/account.db`;
const looked = () => withDatabase(file, async (database) => database.exec("SELECT count(*) FROM ledger"));
if (lack === "account") await looked();
const held = [];
if (lack !== "descriptors" && lack !== "account") process.setuid?.(65534);
else {
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch {
    // No more.
  }
}
const known = ({ code, remedy }) => ({ code, remedy });
if (lack === "account") {
  const error = await looked().catch((thrown) => accountError(file, thrown));
  for (const fd of held) closeSync(fd);
  console.log(JSON.stringify(known(error)));
  process.exit();
}
if (lack === "salt") {
  const salt = await authorSaltOf(lake).catch(known);
  const { findings } = await diagnoseLake(lake);
  console.log(JSON.stringify({ salt, findings: findings.map(({ level, code }) => ({ level, code })) }));
  process.exit();
}
const opened = await Lake.open(lake).then((open) => open.close(), known);
const found = await diagnoseLake(lake).then(
  ({ findings }) => findings.filter(({ level }) => level === "error").map(known),
  known,
);
for (const fd of held) closeSync(fd);
console.log(JSON.stringify({ opened, found }));
