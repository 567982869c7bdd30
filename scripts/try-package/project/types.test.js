import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";

/** The compilers, by the names of their packages, with what each needs to compile files that it is given. */
const COMPILERS = { typescript: ["--ignoreConfig"], "oldest-typescript": [] };

/** @param {keyof typeof COMPILERS} compiler @param {readonly string[]} args */
function compileWith(compiler, ...args) {
  const options = ["--noEmit", "--strict", "--target", "es2023", "--lib", "es2023,esnext.disposable"];
  const program = `node_modules/${compiler}/bin/tsc`;
  return spawnSync(
    process.execPath,
    [program, ...COMPILERS[compiler], ...options, "--types", "node", ...args],
    { encoding: "utf8" },
  );
}

/** @param {readonly string[]} args */
const compile = (...args) => compileWith("typescript", ...args);

for (const compiler of /** @type {(keyof typeof COMPILERS)[]} */ (Object.keys(COMPILERS)))
  test(`a program compiles with every library checked, in CommonJS too, by ${compiler}`, () => {
    const libraries = ["--skipLibCheck", "false"];
    for (const args of [
      ["--module", "nodenext", "types/good.ts"],
      ["--module", "node16", "types/required.cts"],
    ]) {
      const { status, stdout } = compileWith(compiler, ...libraries, ...args);
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
