import { statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as whole from "../../src/index.js";
import * as lazy from "../../src/lazy-index.js";
import { demo } from "../support/demo-lake.js";
import { loadedFiles, packagesOf } from "./loaded-files.js";

/** What `import "mirrorlake"` may load: each file costs about half a millisecond, and code some 25 a megabyte. */
const MOST_OF_IMPORT = { files: 14, bytes: 800_000 };

/** What opening a lake and asking it may load, of this package. */
const MOST_OF_SEARCH = { files: 32, bytes: 2_500_000 };

/** What `mirrorlake --help` may load. */
const MOST_OF_HELP = { files: 18, bytes: 200_000 };

describe("the lazy entry point", () => {
  test("exports what the documented one exports, of the same types", () => {
    const ofTheSameTypes: typeof whole = lazy;
    expect(Object.keys(ofTheSameTypes).sort()).toEqual(Object.keys(whole).sort());
    for (const [name, value] of Object.entries(whole)) {
      const lazily = (lazy as Readonly<Record<string, unknown>>)[name];
      if (lazily !== value) expect(lazily).toHaveProperty("name", name);
    }
  });

  test("a function that it loads answers and throws as the function itself", async () => {
    await expect(lazy.openLake("/nowhere/at/all")).rejects.toMatchObject({ code: "lake_not_found" });
    await expect(async () => {
      for await (const _ of lazy.diffSlices("/nowhere/a", "/nowhere/b")) expect.unreachable();
    }).rejects.toBeInstanceOf(whole.MirrorlakeError);
  });
});

describe("a function of the lazy entry point, before it has its module,", () => {
  test("keeps the options and lists that it was given", async () => {
    const options = { lake: "/nowhere/first" };
    const targets = [{ kind: "record" as const, id: "web_gnw_1" }];
    const calls = [
      lazy.gcLake(options),
      lazy.verifyLake(options.lake, {}),
      lazy.removeRecords(targets, { ...options, reason: "r" }),
    ];
    const removed = lazy.removeRecords(targets, Object.assign(options, { reason: "r" }));
    options.lake = "/nowhere/second";
    targets.length = 0;
    const refused = { code: "lake_not_found", value: "/nowhere/first" };
    await Promise.all([...calls, removed].map((call) => expect(call).rejects.toMatchObject(refused)));
  });
});

function expectAtMost(
  most: { readonly files: number; readonly bytes: number },
  files: readonly string[],
): void {
  const read = files.filter((file) => file.includes("/"));
  expect(read.length, read.join(" ")).toBeLessThanOrEqual(most.files);
  const bytes = read.map((file) => statSync(new URL(`../../${file}`, import.meta.url)).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(most.bytes);
}

describe("what is loaded (needs the built package)", () => {
  test("import loads the contract, and neither engines nor indexes nor a server", async () => {
    const files = await loadedFiles(["--input-type=module", "--eval", 'await import("mirrorlake")']);
    expect(packagesOf(files)).toEqual([]); // zod is in one file of the package
    expectAtMost(MOST_OF_IMPORT, files);
  });

  test("opening a lake and asking it loads few files", async () => {
    const program = `import { openLake } from "mirrorlake";
      const lake = await openLake(${JSON.stringify((await demo()).lake)}, { account: "memory" });
      await lake.search({ query: "hiking boots" });
      await lake.close();`;
    const files = await loadedFiles(["--input-type=module", "--eval", program]);
    expectAtMost(
      MOST_OF_SEARCH,
      files.filter((file) => !file.includes("node_modules")),
    );
  });

  test("--help loads the parser of the command line and no command", async () => {
    const files = await loadedFiles(["dist/cli/main.js", "--help"]);
    expect(packagesOf(files)).toEqual(["commander"]);
    expectAtMost(MOST_OF_HELP, files);
  });

  test("a command's own help loads no engine", async () => {
    const files = await loadedFiles(["dist/cli/main.js", "search", "--help"]);
    expect(packagesOf(files).filter((name) => name !== "commander")).toEqual([]);
  });
});
