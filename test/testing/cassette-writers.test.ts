import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readCassette } from "../../src/cassette/read-cassette.js";
import { recordFetch } from "../../src/cassette/record-fetch.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-writers-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Answers with the path; much of it where asked for. */
const service = async (input: string | URL | Request) => {
  const { pathname } = new URL((input as Request).url);
  return Response.json({ text: pathname.padEnd(pathname.includes("large") ? 600_000 : 1, pathname) });
};
const recorder = (cassette: string) => recordFetch({ cassette, fetch: service });
const pathsIn = async (cassette: string) =>
  (await readCassette(cassette)).calls.map(({ request }) => request.path).sort();

test("several recorders of one cassette, begun together, lose and mix nothing", async () => {
  const cassette = join(dir, "shared.jsonl");
  const names = ["a", "b", "c"];
  const recorders = await Promise.all(names.map(() => recorder(cassette)));
  const paths = names.flatMap((name) => [1, 2].map((i) => `/v1/large/${name}${i}`));
  await Promise.all(paths.map((path, i) => recorders[i % 3]!(`http://x${path}`)));
  await Promise.all(recorders.map((record) => record.close()));
  expect(await pathsIn(cassette)).toEqual(paths.sort());
  expect((await readdir(dir)).filter((name) => name.includes(".lock"))).toEqual([]);
});

test("a recorder goes on behind a line that another one, killed meanwhile, did not finish", async () => {
  const cassette = join(dir, "killed.jsonl");
  const record = await recorder(cassette);
  await record("http://x/v1/one");
  await appendFile(cassette, '{"at":"2026-01-01T00:00:00.000Z","ms":1,"request":{"me');
  await record("http://x/v1/two");
  await record.close();
  expect(await pathsIn(cassette)).toEqual(["/v1/one", "/v1/two"]);
  const whole = await readFile(cassette, "utf8");
  for (const cut of [whole.length - 1, whole.length - 30, whole.indexOf("\n") + 20]) {
    await writeFile(cassette, whole.slice(0, cut));
    const again = await recorder(cassette);
    await again("http://x/v1/three");
    await again.close();
    expect(await pathsIn(cassette)).toContain("/v1/three");
  }
});

test("a cassette that is removed or cut under a recorder is an error, and stays as it is", async () => {
  const cassette = join(dir, "gone.jsonl");
  const record = await recorder(cassette);
  await record("http://x/v1/one");
  await rm(cassette);
  const refused = { name: "CassetteError", code: "cassette_changed", value: cassette };
  await expect(record("http://x/v1/two")).rejects.toMatchObject(refused);
  await expect(stat(cassette)).rejects.toMatchObject({ code: "ENOENT" });
  await expect(record.close()).rejects.toMatchObject(refused);

  const other = await recorder(cassette);
  await other("http://x/v1/one");
  await truncate(cassette, 10);
  await expect(other("http://x/v1/two")).rejects.toMatchObject(refused);
  expect((await stat(cassette)).size).toBe(10);
});

test("a cassette in no folder, or that is one, is refused before anything is asked", async () => {
  for (const cassette of [join(dir, "none", "calls.jsonl"), dir])
    await expect(recorder(cassette)).rejects.toMatchObject({ code: "unwritable_file", value: cassette });
});

test.skipIf(process.platform === "win32")("a cassette where this user may not write is refused", async () => {
  const locked = join(dir, "locked");
  await mkdir(locked);
  await chmod(locked, 0o555);
  await chmod(dir, 0o755);
  const user = process.geteuid!();
  if (user === 0) process.seteuid!(65_534); // root may write everywhere
  try {
    await expect(recorder(join(locked, "calls.jsonl"))).rejects.toMatchObject({
      code: "unwritable_file",
      remedy: expect.stringMatching(/can be written; .*locked cannot$/),
    });
  } finally {
    process.seteuid!(user);
  }
});

test("a recorder that is killed while it writes holds no other up, and leaves no lock", {
  tags: "slow",
}, async () => {
  const cassette = join(dir, "kill-9.jsonl");
  const program = `import { recordFetch } from "mirrorlake/testing";
    const record = await recordFetch({ cassette: ${JSON.stringify(cassette)}, fetch: async () => Response.json({ text: "x".repeat(3_000_000) }) });
    for (let i = 0; ; i += 1) { await record("http://x/v1/large/" + i); if (i === 0) console.log("recording"); }`;
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  const record = await recorder(cassette);
  await record("http://x/v1/after");
  await record.close();
  expect(await pathsIn(cassette)).toEqual(expect.arrayContaining(["/v1/after", "/v1/large/0"]));
  expect((await readdir(dir)).filter((name) => name.startsWith("kill-9"))).toEqual(["kill-9.jsonl"]);
});
