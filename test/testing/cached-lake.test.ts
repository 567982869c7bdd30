import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLockFile, tryLock } from "../../src/files/process-lock.js";
import { cachedLake } from "../../src/testing/cached-lake.js";
import { asSoleBuilder } from "../../src/testing/sole-builder.js";

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-cached-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

describe("what several want built", () => {
  test("is built once, while the others wait", async () => {
    const [lock, built] = [join(dir, "once.lock"), join(dir, "once")];
    let builds = 0;
    const one = () =>
      asSoleBuilder(
        lock,
        () => exists(built),
        async () => {
          builds++;
          await new Promise((resolve) => setTimeout(resolve, 50));
          await writeFile(built, "");
        },
      );
    await Promise.all([one(), one(), one(), one()]);
    expect(builds).toBe(1);
    expect(await exists(lock)).toBe(false);
  });

  test("is built by the next where one failed", async () => {
    const [lock, built] = [join(dir, "next.lock"), join(dir, "next")];
    let builds = 0;
    const one = () =>
      asSoleBuilder(
        lock,
        () => exists(built),
        async () => {
          if (builds++ === 0) throw new Error("full disk");
          await writeFile(built, "");
        },
      );
    const ends = await Promise.allSettled([one(), one(), one()]);
    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(builds).toBe(2);
    expect(await exists(lock)).toBe(false);
  });

  test("is built after who was building it has been killed", async () => {
    const [lock, built] = [join(dir, "killed.lock"), join(dir, "killed")];
    await createLockFile(lock);
    const program = `const { tryLock } = await import(${JSON.stringify(new URL("../../build/files/process-lock.js", import.meta.url).href)});
      const lock = await tryLock(${JSON.stringify(lock)}, "exclusive");
      process.stdout.write(lock === undefined ? "none" : "held");
      setInterval(() => lock, 1000);`;
    const other = spawn(process.execPath, ["--input-type=module", "-e", program]);
    expect(String((await once(other.stdout, "data"))[0])).toBe("held");
    expect(await tryLock(lock, "exclusive")).toBeUndefined();
    let builds = 0;
    const building = asSoleBuilder(
      lock,
      () => exists(built),
      async () => void builds++,
    );
    other.kill("SIGKILL");
    await building;
    expect(builds).toBe(1);
  });
});

test("a cached lake is made once, and leaves nothing of builds that were killed", {
  tags: "slow",
}, async () => {
  const [file, cache] = [join(dir, "world.jsonl"), join(dir, "cache")];
  await writeFile(file, '{"platform":"forum","lang":"en","text":"boots"}\n');
  const path = await cachedLake(file, cache);
  const name = path.slice(cache.length + 1);
  await rm(path, { recursive: true });
  const left = [`.${name}.making-1`, `..${name}.making-1.partial-2`];
  for (const folder of left) await mkdir(join(cache, folder, "slices"), { recursive: true });
  await writeFile(join(cache, `..${name}.making-1.partial-2.lock`), "");
  expect(new Set(await Promise.all([1, 2, 3].map(() => cachedLake(file, cache))))).toEqual(new Set([path]));
  expect(await readdir(cache)).toEqual([name]);
});
