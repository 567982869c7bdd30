// Fills the disk that a lake is on, and says how its account took it: node full-disk-child.js <lake>
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAccount } from "../../build/account/open-account.js";

const [lake] = process.argv.slice(2);
const principal = { keyId: "key_child", accountId: "acct_local", scopes: ["*"] };
const endpoint = { id: "raw.short-video.comments", price: 1500n, freeEligible: false };
const account = await openAccount(lake, { durability: "strict", limits: "off" });
let charged = 0;

async function call(id) {
  const hold = await account.hold(principal, endpoint, { requestId: id });
  await hold.charge(id);
  charged += 1;
}

await call("first");
const ballast = join(lake, "ballast");
writeFileSync(ballast, Buffer.alloc(400_000));
const failures = new Set();
for (let i = 0; i < 2000 && failures.size === 0; i++)
  await call(`r${i}`).catch((error) => failures.add(error.code));
await call("again").catch((error) => failures.add(error.code));
rmSync(ballast);
let after = "";
await call("after").then(() => {
  after = "charged";
});
let sum = 0n;
for await (const entry of account.entries()) sum += BigInt(entry.amount);
const { balance } = await account.state();
await account.close();
process.stdout.write(
  JSON.stringify({ failures: [...failures], balance: `${balance}`, sum: `${sum}`, charged, after }),
);
