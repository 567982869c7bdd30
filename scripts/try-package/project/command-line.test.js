import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

const LAKE = ".mirrorlake/demo";

/**
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [env]
 */
function mirrorlake(args, env = {}) {
  const file = "node_modules/mirrorlake/dist/cli/main.js";
  return spawnSync(process.execPath, [file, ...args], { encoding: "utf8", env: { ...process.env, ...env } });
}

test("wrong numbers exit alike, and say what is allowed", () => {
  const codes = ["0", "abc"].map((limit) => {
    const { status, stderr } = mirrorlake(["search", "boots", "--limit", limit, "--lake", LAKE]);
    assert.match(stderr, /limit/);
    return status;
  });
  assert.equal(new Set(codes).size, 1);
  assert.notEqual(codes[0], 0);
});

test("after the demo a plain search finds its lake, or says where it is", () => {
  const { status, stdout, stderr } = mirrorlake(["search", "hiking boots", "--freshness", "90d"]);
  assert.ok(status === 0 ? stdout.length > 0 : /\.mirrorlake\/demo/.test(stderr), stderr);
});

test("an unknown platform and an unknown command say what was meant", () => {
  const hinted = mirrorlake(["search", "boots", "--platform", "short-vidio", "--lake", LAKE]);
  assert.match(hinted.stdout + hinted.stderr, /did you mean "short-video"/);
  assert.match(mirrorlake(["serch", "boots"]).stderr, /search/);
});

test("completion, colours and JSON", () => {
  for (const shell of ["bash", "zsh", "fish"])
    assert.match(mirrorlake(["completion", shell]).stdout, /mirrorlake/);
  const args = ["search", "hiking boots", "--freshness", "90d", "--lake", LAKE];
  assert.ok(mirrorlake(args, { FORCE_COLOR: "1" }).stdout.includes("\u001b["));
  assert.ok(!mirrorlake(args).stdout.includes("\u001b["));
  assert.ok(JSON.parse(mirrorlake([...args, "--json"]).stdout).data.length > 0);
});

test("a wide row is readable", () => {
  const { status, stdout } = mirrorlake(["sql", "SELECT * FROM records LIMIT 1", "--lake", LAKE]);
  assert.equal(status, 0);
  assert.ok(Math.max(...stdout.split("\n").map(({ length }) => length)) <= 200, stdout);
});

test("the README's commands run", () => {
  for (const args of [
    ["search", "hiking boots", "--freshness", "30d"],
    ["raw", "short-video", "comments", "--item-id", "7400000000000000123"],
    ["sql", "SELECT platform, count(*) AS records FROM records GROUP BY ALL ORDER BY records DESC"],
    ["export", "--format", "parquet", "--domain", "ecommerce", "--out", "products.parquet"],
  ]) {
    const { status, stdout, stderr } = mirrorlake([...args, "--lake", LAKE]);
    assert.equal(status, 0, stderr);
    assert.ok(stdout.length + stderr.length > 0);
  }
});
