import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { createProgram } from "../src/cli/program.js";

const ROOT = new URL("../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), "utf8");
const README = read("README.md");

const silent = { write: () => {}, isTty: false, columns: 100, color: false };
const program = createProgram({
  out: silent,
  err: silent,
  env: {},
  cwd: "/",
  signal: new AbortController().signal,
  fail: () => {},
});

function commandPaths(command: Command, path: readonly string[] = []): string[] {
  return command.commands.flatMap((child) => {
    const here = [...path, child.name()];
    return child.commands.length > 0 ? commandPaths(child, here) : [here.join(" ")];
  });
}

/** Sources of the package's entry points, as package.json names them. */
function entryPoints(): string[] {
  const { exports } = JSON.parse(read("package.json")) as {
    exports: Record<string, string | { types: string }>;
  };
  return Object.values(exports)
    .filter((target) => typeof target === "object")
    .map(({ types }) => types.replace("./dist/", "src/").replace(".d.ts", ".ts"));
}

/** Names that the package's entry points export, types among them. */
function exportedNames(): string[] {
  const source = entryPoints().map(read).join("\n");
  const declared = source.matchAll(
    /^export\s+(?:async\s+)?(?:function\*?|class|const|interface|type)\s+(\w+)/gm,
  );
  const statements = source.matchAll(/export\s+(?:type\s+)?\{([^}]*)\}/g);
  return [...[...declared].map((match) => match[1]!), ...reExported(statements)];
}

function reExported(statements: Iterable<RegExpMatchArray>): string[] {
  return [...statements].flatMap(([, names]) =>
    names!
      .split(",")
      .map((name) =>
        name
          .trim()
          .replace(/^type\s+/, "")
          .replace(/^\w+\s+as\s+/, ""),
      )
      .filter((name) => name !== ""),
  );
}

describe("README", () => {
  test("opens with the two lines that do everything", () => {
    const [first, second] = README.split("```")[1]!.trim().split("\n").slice(1);
    expect(first).toMatch(/^npm ci && npm run demo\b/);
    expect(second).toMatch(/^npm ci && npm test\b/);
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["demo", "test", "check"]));
  });

  test.each(commandPaths(program))("names the command %s", (path) => {
    expect(README).toContain(`mirrorlake ${path}`);
  });

  test.each(exportedNames())("names the export %s", (name) => {
    expect(README).toMatch(new RegExp(`\\b${name}\\b`));
  });

  test("names no export that is not there", () => {
    const table = README.slice(README.indexOf("## Library reference"), README.indexOf("## Command line"));
    const named = [...table.matchAll(/^\| `(\w+)`/gm)].map((match) => match[1]!);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !exportedNames().includes(name))).toEqual([]);
  });

  test("its links into the repository lead somewhere", () => {
    const targets = [...README.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1]!);
    expect(targets.filter((target) => !existsSync(fileURLToPath(new URL(target, ROOT))))).toEqual([]);
  });

  test("its links within itself lead to a heading", () => {
    const anchors = [...README.matchAll(/^#+ (.+)$/gm)].map((match) =>
      match[1]!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} -]/gu, "")
        .replaceAll(" ", "-"),
    );
    const targets = [...README.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1]!);
    expect(targets.filter((target) => !anchors.includes(target))).toEqual([]);
  });
});
