import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { anchorsOf, linksOf, ROOT, readDocument, writtenDocuments } from "./markdown.js";

const documents = writtenDocuments();
const { files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { files: string[] };
const isShipped = (path: string) => files.some((file) => path === file || path.startsWith(`${file}/`));

describe.each(documents)("$path", (document) => {
  const links = linksOf(document);

  test("its links lead to files", () => {
    expect(links.filter(({ path }) => !existsSync(join(ROOT, path))).map(({ target }) => target)).toEqual([]);
  });

  test("its anchors are headings", () => {
    const wrong = links
      .filter(
        ({ path, anchor }) => anchor !== undefined && path.endsWith(".md") && existsSync(join(ROOT, path)),
      )
      .filter(({ path, anchor }) => !anchorsOf(readDocument(path)).has(anchor!));
    expect(wrong.map(({ target }) => target)).toEqual([]);
  });

  test.runIf(isShipped(document.path))("its links lead to what the package ships", () => {
    expect(links.filter(({ path }) => !isShipped(path)).map(({ target }) => target)).toEqual([]);
  });
});

test("every document is found from the README", () => {
  const found = new Set<string>(["README.md"]);
  for (const path of found) {
    if (!path.endsWith(".md") || !existsSync(join(ROOT, path))) continue;
    for (const link of linksOf(readDocument(path))) found.add(link.path);
  }
  expect(documents.map(({ path }) => path).filter((path) => !found.has(path))).toEqual([]);
});
