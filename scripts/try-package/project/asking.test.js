import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, statSync } from "node:fs";
import { test } from "node:test";
import { openLake } from "mirrorlake";

const LAKE = ".mirrorlake/demo";

test("an unknown platform gives no answer, and the header says what was meant", async () => {
  const lake = await openLake(LAKE, { account: "memory" });
  const { data, headers } = await lake.search({ query: "boots", platforms: ["short-vidio"] });
  assert.equal(data.length, 0);
  assert.match(headers["x-mirrorlake-hint"] ?? "", /short-vidio.*did you mean "short-video"/);
  const wrong = await lake.fetch("/v1/raw/short-video/vidoe?item_id=1", {
    headers: { "x-api-key": lake.apiKey },
  });
  assert.equal(wrong.status, 404);
  assert.match(wrong.headers.get("x-mirrorlake-hint") ?? "", /video/);
  await lake.close();
});

test("an error of the API keeps code, message, status and remedy in JSON", async () => {
  const lake = await openLake(LAKE, { account: "memory" });
  const error = await lake.search({ query: "" }).catch((reason) => reason);
  const { code, status, message, remedy } = JSON.parse(JSON.stringify(error));
  assert.deepEqual({ code, status }, { code: "invalid_params", status: 400 });
  assert.match(message, /query/);
  assert.ok(remedy.length > 0);
  await lake.close();
});

test("items() stops at once when it is aborted", async () => {
  const lake = await openLake(LAKE, { account: "memory" });
  const control = new AbortController();
  let seen = 0;
  const read = async () => {
    const params = { item_id: "7400000000000000123" };
    for await (const _ of lake.items("raw.short-video.comments", params, { signal: control.signal })) {
      seen += 1;
      if (seen === 2) control.abort();
    }
  };
  await assert.rejects(read, { name: "AbortError" });
  assert.equal(seen, 2);
  await lake.close();
});

test("a lake that is only read stays as it is, and one without write permission opens", async () => {
  cpSync(LAKE, "mounted", { recursive: true });
  const before = listing("mounted");
  const lake = await openLake("mounted", { readOnly: true });
  assert.ok((await lake.search({ query: "hiking boots", freshness: "90d" })).data.length > 0);
  assert.deepEqual(listing("mounted"), before);
  await lake.close();
  assert.deepEqual(listing("mounted"), before);
  // What root may write to, others may only read.
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  execFileSync("chmod", ["a+rx", ".", ".."]);
  execFileSync("chmod", ["-R", "a+rX,a-w", "mounted"]);
  const code = `import("mirrorlake").then(async ({ openLake }) => {
    const lake = await openLake("mounted", { onNotice: (notice) => console.log(notice) });
    console.log((await lake.search({ query: "hiking boots", freshness: "90d" })).data.length);
    await lake.close();
  })`;
  const said = execFileSync(process.execPath, ["-e", code], { encoding: "utf8", ...user });
  assert.match(said, /account in memory[\s\S]*\n[1-9]/);
  execFileSync("chmod", ["-R", "u+w", "mounted"]);
});

/** @param {string} dir */
function listing(dir) {
  const names = /** @type {string[]} */ (readdirSync(dir, { recursive: true })).sort();
  return names.map((name) => `${name} ${statSync(`${dir}/${name}`).mtimeMs}`);
}
