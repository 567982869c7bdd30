import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { PLATFORMS } from "../../src/contract/service/platforms.js";
import { capture } from "./capture.js";

const run = promisify(execFile);

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-completion-"));
  await writeFile(join(dir, "mapping file.json"), "{}");
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, out } = await capture(["completion", shell]);
    expect(code).toBe(0);
    await writeFile(join(dir, shell), out);
  }
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** What bash offers after these words; the last one is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `
    source ./bash
    COMP_WORDS=(mirrorlake "$@"); COMP_CWORD=$#
    _mirrorlake
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run("bash", ["--norc", "-c", script, "bash", ...words], { cwd: dir });
  return stdout.split("\n").filter((line) => line !== "");
}

describe("in bash", () => {
  test("commands and subcommands", async () => {
    expect(await offered("se")).toEqual(["search", "serve"]);
    expect(await offered("keys", "")).toEqual(["create", "list", "revoke"]);
  });

  test("options of the command, wherever it stands", async () => {
    expect(await offered("search", "mouse", "--limit", "5", "--j")).toEqual(["--json"]);
    expect(await offered("account", "export", "--f")).toEqual(["--format", "--from"]);
    expect(await offered("export", "--v")).toEqual(["--vectors"]);
  });

  test("values of options", async () => {
    expect(await offered("sql", "--format", "")).toEqual(["table", "vertical", "json", "jsonl", "csv"]);
    expect(await offered("search", "x", "--format", "v")).toEqual(["vectors+provenance"]);
    expect(await offered("slices", "--platform", "")).toEqual(PLATFORMS.map(({ slug }) => slug));
    expect(await offered("search", "x", "--limit", "")).toEqual([]);
  });

  test("platforms and their resources", async () => {
    expect(await offered("raw", "micro")).toEqual(["microblog"]);
    const resources = CATALOGUE.flatMap(({ platform, resource }) =>
      platform === "forum" && resource !== undefined ? [resource] : [],
    );
    expect(await offered("raw", "--lake", "x", "forum", "")).toEqual(resources);
  });

  test("files, with spaces in their names", async () => {
    expect(await offered("ingest", "one", "map")).toEqual(["mapping file.json"]);
    expect(await offered("search", "x", "--lake", "map")).toEqual(["mapping file.json"]);
  });
});

test.for([
  ["zsh", ["-n"]],
  ["fish", ["--no-config", "-n"]],
] as const)("%s takes its script, where it is installed", async ([shell, args], { skip }) => {
  const there = await run(shell, ["--version"]).then(
    () => true,
    () => false,
  );
  skip(!there, `${shell} is not installed`);
  await run(shell, [...args, join(dir, shell)]);
});

test("an unknown shell is a usage error that names those that there are", async () => {
  const { code, err } = await capture(["completion", "powershell"]);
  expect(code).toBe(2);
  expect(err).toContain("bash, zsh, fish");
});
