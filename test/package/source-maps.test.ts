import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

const DIST = resolve(import.meta.dirname, "../../dist");

test("every source map brings its source: src is not in the package", { tags: "slow" }, async () => {
  const maps = (await readdir(DIST, { recursive: true })).filter((name) => name.endsWith(".js.map"));
  expect(maps.length).toBeGreaterThan(100);
  for (const name of maps) {
    const path = join(DIST, name);
    const { sources, sourceRoot, sourcesContent } = JSON.parse(await readFile(path, "utf8")) as {
      sources: string[];
      sourceRoot?: string;
      sourcesContent?: string[];
    };
    expect(sourcesContent, name).toHaveLength(sources.length);
    for (const [i, source] of sources.entries()) {
      const file = resolve(dirname(path), sourceRoot ?? "", source);
      expect(sourcesContent![i], source).toBe(await readFile(file, "utf8"));
    }
  }
});
