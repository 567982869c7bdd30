import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { corpusHash } from "../../src/lake/corpus-hash.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import { QUICK, recordId, videos, write } from "./support.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-older-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

it("a lake with removals whose generation has an older format, without a lock file, is rebuilt", {
  tags: "slow",
}, async () => {
  const lake = join(dir, "lake");
  await installSlices(await write(join(dir, "a"), videos(0, 6, 3)), { lake, ...QUICK });
  await removeRecords([{ kind: "record", id: recordId(1) }], { lake, reason: "test" });
  const before = await corpusHash(lake);
  const at = (name: string) => join(lake, "generations", "1", name);
  const manifest = JSON.parse(await readFile(at("generation.json"), "utf8")) as object;
  await writeFile(at("generation.json"), JSON.stringify({ ...manifest, formatVersion: 2 }));
  await writeFile(at("slices.json"), "[{}]");
  await rm(at("readers.lock"));
  const { problems } = await verifyLake(lake, { recall: false });
  const said = problems.map(({ code, message }) => `${code} ${message}`);
  expect(said.filter((each) => each.startsWith("generation_invalid"))).toHaveLength(2); // of two files
  expect(said).toEqual([...new Set(said)]);
  expect(await installSlices([], { lake, rebuild: true, ...QUICK })).toMatchObject({
    generation: 2,
    change: "built",
    total: { records: 5 },
  });
  expect(await corpusHash(lake)).toBe(before);
  expect(await verifyLake(lake, { recall: false })).toMatchObject({ ok: true });
  // Whether what had no lock file is read was not known until now.
  await installSlices([], { lake, rebuild: true, ...QUICK });
  expect(await readdir(join(lake, "generations"))).toEqual(["3"]);
});
