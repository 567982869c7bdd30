import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installSlices, Lake, pullSlices } from "mirrorlake";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answersOf } from "../lake/same-answers.js";
import { FaultServer } from "./fault-server.js";
import { type SmallSet, smallSet } from "./small-set.js";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

let set: SmallSet;
let dir: string;
let server: FaultServer;
beforeAll(async () => {
  set = await smallSet(0, 150);
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-killed-"));
  server = await FaultServer.start(set.out);
});
afterAll(async () => {
  await server?.close();
  await set?.remove();
  if (dir !== undefined) await rm(dir, { recursive: true, force: true });
});

function pulling(lake: string): ChildProcess {
  const args = [CLI, "pull", server.url, "--lake", lake, "--no-lock", "--parallel", "2", "--stall", "600"];
  return spawn(process.execPath, args, { stdio: "ignore" });
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

test("a pull that is killed with SIGKILL again and again goes on where it was, and fetches no byte twice", {
  tags: "slow",
}, async () => {
  const lake = join(dir, "lake");
  const files = set.manifests.flatMap(({ mirrorlake: { root }, resources }) =>
    resources.map(({ path, bytes }) => ({ name: `${root}/${path}`, bytes })),
  );
  const victims = files.toSorted((a, b) => b.bytes - a.bytes).slice(0, 3);
  for (const [i, { name, bytes }] of victims.entries()) {
    const cut = Math.floor((bytes * (i + 1)) / 5);
    server.plan(name, [{ kind: "stall", after: cut }]);
    const child = pulling(lake);
    const partial = join(lake, "incoming", `${name}.part`);
    while ((await sizeOf(partial)) < cut) {
      expect(child.exitCode).toBeNull();
      await new Promise((go) => setTimeout(go, 10));
    }
    child.kill("SIGKILL");
    await once(child, "exit");
    await expect(Lake.open(lake)).rejects.toMatchObject({ code: "lake_empty" });
  }
  const { install } = await pullSlices(server.url, { lake });
  expect(install?.slices).toHaveLength(set.manifests.length);
  // What stalled had arrived to the last byte before the kill: so nothing was sent twice, nor asked for twice.
  for (const { name, bytes } of victims) expect([name, server.sent(name)]).toEqual([name, bytes]);
  for (const { name, bytes } of files) expect(server.sent(name)).toBeLessThanOrEqual(2 * bytes);
  expect((await readdir(lake)).filter((name) => name === "incoming")).toEqual([]);

  const direct = join(dir, "direct");
  await installSlices([set.slices], { lake: direct });
  expect(await answers(lake)).toBe(await answers(direct));
});

test("the files of the lake are those that were published, byte for byte", { tags: "slow" }, async () => {
  for (const { mirrorlake, resources } of set.manifests) {
    for (const { path } of resources) {
      const [own, theirs] = await Promise.all(
        [join(dir, "lake", "slices"), set.out].map((at) => readFile(join(at, mirrorlake.root, path))),
      );
      expect(own!.equals(theirs!)).toBe(true);
    }
  }
});

async function answers(path: string): Promise<string> {
  const lake = await Lake.open(path);
  try {
    return await answersOf(lake, ["手机 camera", "zapatos"]);
  } finally {
    await lake.close();
  }
}
