import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { cleaned, faults, written } from "../scripts/notebooks/notebook-file.js";
import * as entryPoint from "../src/notebook.js";

const FOLDER = new URL("../fixtures/notebooks/", import.meta.url);
const names = readdirSync(FOLDER).filter((name) => name.endsWith(".ipynb"));

interface Notebook {
  readonly cells: readonly {
    readonly id: string;
    readonly cell_type: string;
    readonly source: readonly string[];
  }[];
}

const read = (name: string) => readFileSync(new URL(name, FOLDER), "utf8");
const code = (name: string) =>
  (JSON.parse(read(name)) as Notebook).cells
    .filter((cell) => cell.cell_type === "code")
    .map((cell) => cell.source.join(""))
    .join("\n");

describe("notebooks", () => {
  test("are the five that docs/guide/notebooks.md names", () => {
    expect(names).toHaveLength(5);
  });

  test.each(names)("%s is kept in one form, without outputs", (name) => {
    expect(read(name)).toBe(written(cleaned(JSON.parse(read(name)))));
  });

  test.each(names)("%s has ids that are its cells' own", (name) => {
    const ids = (JSON.parse(read(name)) as Notebook).cells.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][a-z-]{0,62}$/.test(id))).toEqual([]);
  });

  test.each(names)(
    "%s imports the package by its name and nothing else, opens a lake and closes it",
    (name) => {
      const modules = [...code(name).matchAll(/from "([^"]+)"/g)].map((match) => match[1]);
      expect(modules).toEqual(["tslab", "mirrorlake", "mirrorlake/notebook"]);
      expect(code(name)).toMatch(/await openLake\(.*account: "memory"/);
      expect(code(name).trimEnd()).toMatch(/await lake\.close\(\);$/);
    },
  );

  test.each(names)("%s uses every name that it imports, and only what there is", (name) => {
    const imported = /import \{([^}]+)\} from "mirrorlake\/notebook"/.exec(code(name))![1]!.split(",");
    for (const item of imported.map((each) => each.trim())) {
      const plain = item.replace(/^type /, "");
      expect(code(name).match(new RegExp(`\\b${plain}\\b`, "g"))!.length, plain).toBeGreaterThan(1);
      if (plain === item) expect(entryPoint).toHaveProperty(plain);
    }
  });
});

describe("cleaning and judging a notebook", () => {
  const ran = { execution: { "shell.execute_reply": "2026-05-29T12:00:00Z" } };
  const cell = (outputs: unknown[], metadata: unknown = ran) => ({
    cell_type: "code",
    id: "a",
    execution_count: 3,
    metadata,
    outputs,
    source: "one\ntwo",
  });

  test("takes outputs, counts and timing away and keeps sources and tags", () => {
    const dirty = {
      cells: [cell([{ output_type: "stream" }], { ...ran, tags: ["x"] })],
      metadata: { who: 1 },
    };
    expect(cleaned(dirty).cells).toEqual([
      {
        cell_type: "code",
        execution_count: null,
        id: "a",
        metadata: { tags: ["x"] },
        outputs: [],
        source: ["one\n", "two"],
      },
    ]);
    expect(cleaned(cleaned(dirty))).toEqual(cleaned(dirty));
  });

  test("finds errors, what was written to standard error, and cells that did not run", () => {
    const display = { output_type: "display_data", data: { "text/html": "<p>" } };
    const error = { output_type: "error", ename: "TypeError", evalue: "no" };
    const diagnostics = { output_type: "stream", name: "stderr", text: ["1:1 - Cannot find name\n"] };
    expect(faults({ cells: [cell([display])] })).toEqual([]);
    expect(faults({ cells: [cell([error])] })).toEqual(["cell a: TypeError: no"]);
    expect(faults({ cells: [cell([display, diagnostics])] })).toEqual(["cell a: 1:1 - Cannot find name"]);
    expect(faults({ cells: [cell([], {})] })).toEqual(["cell a did not run"]);
  });
});
