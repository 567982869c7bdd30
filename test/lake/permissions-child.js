// Makes a lake, or asks one with SQL, where Node.js may start neither processes nor threads, and prints the error's fields.
import { createLake, openLake } from "mirrorlake";

const [what, path] = process.argv.slice(2);
try {
  if (what === "build") await build();
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

async function query() {
  const lake = await openLake(path, { account: "memory" });
  try {
    await lake.sql("SELECT 1");
  } finally {
    await lake.close();
  }
}
