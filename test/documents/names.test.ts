import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/contract/service/limits.js";
import { anchorsOf, linksOf, ROOT, readDocument } from "./markdown.js";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const allSources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .map((path) => `src/${path.replaceAll("\\", "/")}`)
  .filter((path) => path.endsWith(".ts"));
const sources = allSources.filter((path) => !path.startsWith("src/conformance/"));

describe("README", () => {
  const readme = read("README.md");

  test("has at most 200 lines", () => {
    expect(readme.split("\n").length).toBeLessThanOrEqual(200);
  });

  test("shows how to install it, and the two lines that do everything in a clone", () => {
    const [install, clone] = [...readme.matchAll(/```sh[^\n]*\n([\s\S]*?)```/g)].map((match) => match[1]!);
    expect(install).toMatch(/^npm install mirrorlake\nnpx mirrorlake demo\b/);
    expect(clone).toMatch(/^npm ci && npm run demo\b.*\nnpm ci && npm test\b/);
  });
});

describe("docs/README.md", () => {
  const documented = [
    "mirrorlake",
    "mirrorlake/notebook",
    "mirrorlake/testing",
    "mirrorlake/embed-openai",
    "mirrorlake/embed-transformers",
  ];

  test.each(documented)("names every function of %s", (module) => {
    const text = read(`docs/api/${module}.md`);
    const functions = [...(text.split(/^## Functions$/m)[1] ?? "").matchAll(/^### (\w+)\(\)$/gm)];
    const named = new Set(
      linksOf(readDocument("docs/README.md")).map(({ path, anchor }) => `${path}#${anchor}`),
    );
    expect(functions.length).toBeGreaterThan(0);
    expect(
      functions
        .map(([, name]) => name!)
        .filter((name) => !named.has(`docs/api/${module}.md#${name.toLowerCase()}`)),
    ).toEqual([]);
  });
});

describe("docs/errors.md", () => {
  const explained = new Set(
    [...read("docs/errors.md").matchAll(/`([a-z0-9_]+)`/g)].map((match) => match[1]!),
  );
  const thrown = new Set(
    sources.flatMap((path) =>
      [
        ...read(path).matchAll(
          /(?:new (?:ApiError|(?!FieldError|JsonDocumentError|TypeError)[A-Z]\w*Error)|ingestError|refuseSlice)\(\s*"([a-z0-9_]+)"/g,
        ),
        ...(/^src\/(?:ingest|transfer)\//.test(path)
          ? read(path).matchAll(/\bcode: "([a-z0-9]+_[a-z0-9_]+)"/g)
          : []),
      ].map((match) => match[1]!),
    ),
  );

  test("explains no code that there is not", () => {
    const text = allSources.map(read).join("\n");
    const gone = [...explained].filter((code) => code.includes("_") && !text.includes(`"${code}"`));
    expect(gone.filter((code) => !text.includes(` ${code}:`))).toEqual([]);
  });

  test("explains every code that is thrown", () => {
    expect(thrown.size).toBeGreaterThan(100);
    expect([...thrown].filter((code) => !explained.has(code)).sort()).toEqual([]);
  });
});

describe("citations", () => {
  const service = anchorsOf(readDocument("docs/service.md"));
  const sections = [...read("docs/service.md").matchAll(/^#+ ([0-9.]+?)\.? /gm)].map((match) => match[1]!);
  const decisions = [...read("docs/decisions.md").matchAll(/^## (.+)$/gm)].map((match) => match[1]!);

  test("service.md has the sections that are cited", () => {
    const cited = sources.flatMap((path) =>
      [...read(path).matchAll(/service\.md sections? ([0-9][0-9. and,\n*]*)/g)].flatMap(([, list]) =>
        (list!.match(/[0-9]+(?:\.[0-9]+)*/g) ?? []).map((section) => ({ path, section })),
      ),
    );
    expect(service.size).toBeGreaterThan(0);
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter(({ section }) => !sections.includes(section))).toEqual([]);
  });

  test("decisions.md has the sections that are cited", () => {
    const cited = sources.flatMap((path) =>
      [...read(path).matchAll(/decisions\.md, "([^"]+)"/g)].map(([, section]) => ({
        path,
        section: section!,
      })),
    );
    expect(cited.length).toBeGreaterThan(10);
    expect(cited.filter(({ section }) => !decisions.includes(section))).toEqual([]);
  });
});

describe("numbers", () => {
  test("the guide has the limits of the service", () => {
    const guide = read("docs/guide/asking.md");
    expect(guide).toContain(
      `| requests of an account | ${LIMITS.requestsPerMinute.value} a minute; ${LIMITS.requestsPerMinuteToppedUp.value} after`,
    );
    expect(guide).toContain(
      `search ${LIMITS.searchCapPerSecond.value} a second, raw video ${LIMITS.rawVideoCapPerSecond.value}, others ${LIMITS.defaultCapPerSecond.value}`,
    );
  });
});

test.each(["ARCHITECTURE.md", "CONTRIBUTING.md"])("%s names folders and files that there are", (name) => {
  const named = [...read(name).matchAll(/`((?:src|test|scripts|fixtures)\/[A-Za-z0-9_./-]*)`/g)].map(
    (match) => match[1]!,
  );
  expect(named.length).toBeGreaterThan(10);
  expect([...new Set(named)].filter((path) => !pathExists(path))).toEqual([]);
});

function pathExists(path: string): boolean {
  const folder = path.replace(/\/?[^/]*$/, "");
  const last = path.slice(folder.length).replaceAll("/", "");
  try {
    return last === "" || readdirSync(join(ROOT, folder)).includes(last);
  } catch {
    return false;
  }
}
