// Makes a lake, or asks one with SQL, where Node.js may start neither processes nor threads, and prints the error's fields. An unsynced
// lake is made where files cannot be synced, as under the permission model of Node.js 26.
import { open } from "node:fs/promises";
import { createLake, openLake } from "mirrorlake";

const [what, path] = process.argv.slice(2);
try {
  if (what === "unsynced") await denySyncs();
  if (what !== "query") await build();
  else await query();
  console.log(JSON.stringify({ code: "none" }));
} catch (error) {
  const { name, code, remedy, cause } =
    /** @type {import("mirrorlake").MirrorlakeError & { cause?: NodeJS.ErrnoException }} */ (error);
  console.log(JSON.stringify({ name, code, remedy, cause: cause?.code }));
}

async function build() {
  const rows = Array.from({ length: 5_000 }, (_, i) => ({
    platform: "forum",
    lang: "en",
    text: `coffee ${i}`,
  }));
  await createLake(path, rows, { threads: 2, capturedAt: "2026-01-01T00:00:00Z" });
}

async function denySyncs() {
  const file = await open(new URL(import.meta.url));
  const denied = Object.assign(new Error("fsync API is disabled"), { code: "ERR_ACCESS_DENIED" });
  const deny = () => Promise.reject(denied);
  Object.assign(Object.getPrototypeOf(file), { sync: deny, datasync: deny });
  await file.close();
}

async function query() {
  const lake = await openLake(path, { account: "memory" });
  try {
    await lake.sql("SELECT 1");
  } finally {
    await lake.close();
  }
}
