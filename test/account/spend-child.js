// Spends from the account of a lake, or from one on PostgreSQL: node spend-child.js <lake or address> <strict|relaxed> <opening balance> <file of request ids> <hold lease in ms> [again]
// All calls are under way together, begun a few at a time. "<id> charged" or "<id> refused" is written as each is answered, before anything else
// can happen, so that its reader knows what was answered even if this process is killed. With "again", a call that fails because its
// account restarts asks again, by the same id.
import { readFileSync, writeSync } from "node:fs";
import { openAccount } from "../../build/account/open-account.js";
import { openPostgresAccount } from "../../build/account/open-postgres-account.js";

const [lake, durability, openingBalance, idFile, holdLeaseMs, again] = process.argv.slice(2);
const ids = readFileSync(idFile, "utf8").split("\n").filter(Boolean);
const principal = { keyId: "key_child", accountId: "acct_local", scopes: ["*"] };
const endpoint = { id: "raw.short-video.comments", price: 1500n, freeEligible: false };

const open = lake.startsWith("postgres") ? openPostgresAccount : openAccount;
const account = await open(lake, {
  durability,
  limits: "off",
  openingBalance: BigInt(openingBalance),
  holdLeaseMs: Number(holdLeaseMs),
  onNotice: (message) => writeSync(2, `${message}\n`),
});

async function call(id) {
  const hold = await account.hold(principal, endpoint, { requestId: id });
  if (hold === undefined) {
    await account.refuse(principal, { requestId: id, code: "insufficient_credits" });
    writeSync(1, `${id} refused\n`);
    return;
  }
  await new Promise(setImmediate);
  if (id.startsWith("empty")) {
    await hold.release(id, "empty");
    writeSync(1, `${id} empty\n`);
    return;
  }
  try {
    await hold.charge(id);
  } catch (error) {
    // The hold outlived its lease, and the funds went to others.
    if (error.code !== "insufficient_credits") throw error;
    await hold.release(id, error.code);
    writeSync(1, `${id} refused\n`);
    return;
  }
  // The answer is under way for a while: a kill then leaves calls that are charged but not answered.
  for (let turn = Number(id.replace(/\D/g, "")) % 40; turn > 0; turn--) await new Promise(setImmediate);
  writeSync(1, `${id} charged\n`);
}

const PASSES = new Set(["account_commit_unknown", "account_unreachable", "account_busy"]);

async function callAgain(id) {
  try {
    await call(id);
  } catch (error) {
    if (!PASSES.has(error.code)) throw error;
    await new Promise((resolve) => setTimeout(resolve, 20));
    await callAgain(id);
  }
}

const calls = [];
for (let at = 0; at < ids.length; at += 20) {
  calls.push(...ids.slice(at, at + 20).map(again === undefined ? call : callAgain));
  await new Promise(setImmediate);
}
await Promise.all(calls);
await account.close();
