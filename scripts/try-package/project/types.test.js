import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";

/** The compilers, by the names of their packages, with what each needs to compile files that it is given. */
const COMPILERS = {
  typescript: ["--ignoreConfig"],
  "native-typescript": ["--ignoreConfig"],
  "oldest-typescript": [],
};

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

const LIBRARIES = ["--skipLibCheck", "false"];

/** Compiles an ES module, and a CommonJS one. @param {keyof typeof COMPILERS} compiler @param {readonly string[]} more files beside the first */
const compile = (compiler, ...more) => [
  compileWith(compiler, ...LIBRARIES, "--module", "nodenext", "types/good.ts", ...more),
  compileWith(compiler, ...LIBRARIES, "--module", "node16", "types/required.cts"),
];

test("a program compiles with every library checked, in CommonJS too, by oldest-typescript", () => {
  for (const { status, stdout } of compile("oldest-typescript")) assert.equal(status, 0, stdout);
});

const wrong = readdirSync("types")
  .filter((name) => name.startsWith("wrong-"))
  .map((name) => `types/${name}`);

const newer = /** @type {const} */ (["typescript", "native-typescript"]);
for (const compiler of newer)
  test(`so does one by ${compiler}, and each wrong program does not, for one reason`, () =>
    checkNewer(compiler));

/** @param {keyof typeof COMPILERS} compiler */
function checkNewer(compiler) {
  assert.ok(wrong.length > 0);
  const [all, required] = compile(compiler, ...wrong);
  assert.notEqual(all.status, 0);
  // One of each wrong program, and none of the good one or of a library.
  const files = [...all.stdout.matchAll(/^(.+)\(\d+,\d+\): error TS/gm)].map(([, file]) => file);
  assert.deepEqual(files.toSorted(), wrong.toSorted(), all.stdout);
  assert.equal(all.stdout.match(/error TS/g)?.length, wrong.length, all.stdout);
  assert.equal(required.status, 0, required.stdout);
}
