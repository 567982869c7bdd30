import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { removeRecords, type SliceItem, writeSlices } from "../../src/index.js";
import { batches, INFO, makeItems } from "./items.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-wrong-arguments-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

it("an item without what its kind says is refused, and nothing is written", async () => {
  const [good] = makeItems(0, 1);
  for (const [wrong, message] of [
    [{ kind: "raw", item: { platform: "forum" } }, /kind "raw" has no object `raw`/],
    [{ kind: "record", raw: {} }, /kind "record" has no object `record`/],
    [{ kind: "record", record: null }, /kind "record" has no object `record`/],
    [{ kind: "video", raw: {} }, /the kind of an item is "video", it must be "record" or "raw"/],
    [{}, /the kind of an item is undefined/],
    [null, /the kind of an item is undefined/],
  ] as const) {
    const items = batches([good!, wrong as unknown as SliceItem]);
    await expect(writeSlices(items, { out: join(dir, "out"), info: INFO })).rejects.toMatchObject({
      name: "IngestError",
      code: "item_invalid",
      message: expect.stringMatching(message),
      remedy: expect.stringContaining("raw"),
    });
  }
  expect(await readdir(dir)).toEqual([]);
});

it("a removal whose arguments are in another order is told what comes first", async () => {
  const asked = removeRecords as unknown as (...args: unknown[]) => Promise<unknown>;
  const error = await asked(dir, [{ kind: "record", id: "soc_for_1" }]).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "invalid_argument",
    message: expect.stringContaining("an array of what to remove"),
  });
  expect(String(error)).not.toContain("did you mean");
});

it.each([
  ["web_gnw_1", 'targets[0] is "web_gnw_1", it must be an object'],
  [null, "targets[0] is null, it must be an object"],
  [{ id: "web_gnw_1" }, "targets[0].kind is missing, it must be one of record, raw, author, hash"],
  [
    { kind: "recrod", id: "web_gnw_1" },
    'targets[0].kind is "recrod", it must be one of record, raw, author, hash, did you mean "record"?',
  ],
  [
    { kind: "record", idd: "web_gnw_1" },
    "targets[0].id is missing, it must be a string; there is no member targets[0].idd, did you mean id?",
  ],
  [{ kind: "author", id: 3 }, "targets[0].id is 3, it must be a string"],
])("a removal of %j says what is wanted, with an example", async (target, problem) => {
  await expect(removeRecords([target as never], { lake: dir, reason: "asked for" })).rejects.toMatchObject({
    code: "invalid_takedown",
    value: target,
    message: `removeRecords: ${problem}`,
    remedy: expect.stringContaining('{ kind: "record", id: "web_gnw_1" }'),
  });
});
