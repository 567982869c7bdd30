import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { createLake, ingest, openLake, recordHash, VirtualClock, verifyLake, writeSlices } from "mirrorlake";

const LAKE = ".mirrorlake/demo";
/** @param {unknown} value @returns {any} */
const wrong = (value) => value;

test("a wrong option is refused by its name, with the value and what was meant", async () => {
  const cases = /** @type {const} */ ([
    [{ account: "mem" }, /account is "mem", it must be "lake", "memory"/],
    [{ limits: false }, /limits is false.*"off"/],
    [{ acount: "memory" }, /no option acount, did you mean account\?/],
  ]);
  for (const [options, message] of cases)
    await assert.rejects(() => openLake(LAKE, wrong(options)), { code: "invalid_options", message });
  await assert.rejects(() => ingest(wrong("beir"), wrong(undefined)), { name: "UsageError" });
  await assert.rejects(() => ingest(["rows.jsonl"], wrong({ adapter: "nothing", out: "out" })), {
    name: /Error$/,
    message: /adapter|nothing|beir/,
  });
  assert.ok(!existsSync("out"));
});

test("a value that SQL cannot take, and an export without a format, are refused", async () => {
  const lake = await openLake(LAKE, { account: "memory" });
  await assert.rejects(() => lake.sql("SELECT ?", wrong([new Date(0)])), {
    code: "sql_params",
    message: /Date/,
  });
  await assert.rejects(() => lake.export("records.out", wrong(undefined)), { message: /format/ });
  assert.ok(!existsSync("records.out"));
  await lake.close();
});

test("an opening balance can be made outside", async () => {
  const lake = await openLake(LAKE, { account: "memory", openingBalance: "5" });
  const { meta } = await lake.search({ query: "hiking boots", freshness: "90d" });
  assert.equal(meta.balance_usd, meta.charged_usd === "0.000000" ? "5.000000" : "4.996000");
  await lake.close();
});

test("slices without platforms are refused, and no file stays open", async () => {
  const rows = async function* () {
    yield [];
  };
  await assert.rejects(() => writeSlices(rows(), wrong({ out: "slices-out", info: {} })), {
    name: "UsageError",
    message: /info/,
  });
  assert.ok(!existsSync("slices-out"));
});

test("plain objects become a lake in one call, from arrays and async iterables; hashes are made and checked", async () => {
  const clock = new VirtualClock("2026-06-01T00:00:00Z");
  const row = { platform: "forum", lang: "en", title: "A giraffe", text: "A giraffe eats leaves." };
  await createLake("plain", [row], { clock });
  const rows = async function* () {
    yield row;
  };
  await createLake("streamed", rows(), { clock });
  for (const dir of ["plain", "streamed"]) {
    const lake = await openLake(dir, { account: "memory", asOf: "2026-06-01T00:00:00Z" });
    const { data } = await lake.search({ query: "giraffe", freshness: "30d" });
    assert.equal(data.length, 1);
    const { vec: _, ...record } = /** @type {any} */ (data[0]);
    assert.equal(record.prov.hash, recordHash(record));
    await lake.close();
    assert.deepEqual((await verifyLake(dir)).problems, []);
  }
  const forged = { ...row, prov: { ts: "2026-05-01T00:00:00Z", hash: `0x${"ab".repeat(32)}` } };
  await assert.rejects(() => createLake("forged", wrong([forged]), { clock }), { message: /prov\.hash/ });
});
