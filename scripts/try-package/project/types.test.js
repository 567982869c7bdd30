import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";

/** @param {readonly string[]} args */
function compile(...args) {
  const options = ["--noEmit", "--strict", "--target", "es2023", "--lib", "es2023,esnext.disposable"];
  return spawnSync("npx", ["tsc", "--ignoreConfig", ...options, "--types", "node", ...args], {
    encoding: "utf8",
  });
}

test("a program compiles with every library checked, in CommonJS too", () => {
  const libraries = ["--skipLibCheck", "false"];
  for (const args of [
    ["--module", "nodenext", "types/good.ts"],
    ["--module", "node16", "types/required.cts"],
  ]) {
    const { status, stdout } = compile(...libraries, ...args);
    assert.equal(status, 0, stdout);
  }
});

const WRONG = readdirSync("types").filter((name) => name.startsWith("wrong-"));
for (const name of WRONG)
  test(`${name} does not compile, for one reason`, () => {
    const { status, stdout } = compile("--module", "nodenext", `types/${name}`);
    assert.notEqual(status, 0);
    assert.equal(stdout.match(/error TS/g)?.length, 1, stdout);
  });
