import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const SRC = fileURLToPath(new URL("../src", import.meta.url));

/** Layers and what each may import directly (ARCHITECTURE.md, "The picture"); what these import, it may import too. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  clock: [],
  "next-turn": [],
  "event-loop-turn": ["next-turn"],
  files: ["contract", "next-turn"],
  threads: ["contract"],
  processes: ["contract"],
  network: ["contract"],
  duckdb: ["files", "event-loop-turn"],
  slice: ["duckdb"],
  staging: ["slice"],
  store: ["slice"],
  sql: ["store", "processes"],
  search: ["threads", "files", "clock", "network"],
  account: ["files", "clock", "event-loop-turn"],
  lake: ["sql", "search", "clock"],
  clickhouse: ["lake"],
  ingest: ["lake", "staging", "cassette", "event-loop-turn"],
  transfer: ["lake", "ingest", "network"],
  dataset: ["lake"],
  endpoints: ["store", "search", "account"],
  faults: ["endpoints"],
  service: ["endpoints", "account", "faults"],
  metrics: ["service"],
  client: ["service", "lake", "clickhouse", "network"],
  notebook: ["contract", "next-turn"],
  tools: ["client"],
  budget: ["tools"],
  adapters: ["tools"],
  mcp: ["tools", "dataset"],
  http: ["service", "client"],
  // The browser app: of the server it knows types alone.
  "console-app": ["console"],
  console: ["client", "transfer", "notebook", "conformance"],
  cassette: ["clock", "files"],
  compare: ["cassette"],
  "virtual-clock": ["clock", "contract"],
  conformance: ["client", "service", "staging", "virtual-clock"],
  testing: ["client", "http", "ingest", "cassette", "compare", "conformance"],
  cli: [
    "http",
    "metrics",
    "mcp",
    "console",
    "budget",
    "client",
    "ingest",
    "transfer",
    "dataset",
    "conformance",
    "testing",
  ],
  index: ["cli", "http", "mcp", "client", "testing", "budget"],
  "lazy-index": ["index"],
};

/** Packages of which one file alone knows: a change of theirs is a change of that file. */
const ONE_IMPORTER: Readonly<Record<string, string | RegExp>> = {
  "@duckdb/node-api": /^duckdb\//,
  "apache-arrow": /^(duckdb|slice)\/[a-z-]*arrow[a-z-]*\.ts$/,
  "@hono/node-server": /^http\//,
  hono: /^http\//,
  libsql: /^(account\/store|files)\//,
  pg: /^account\/store\/postgres\//,
  "@clickhouse/client": /^clickhouse\//,
  commander: /^cli\//,
  "@modelcontextprotocol/server": /^mcp\//,
  "@observablehq/plot": /^(notebook|console-app)\//,
  preact: /^console-app\//,
  "@preact/signals": /^console-app\//,
};

interface Import {
  readonly file: string;
  readonly to: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => path.replaceAll("\\", "/"))
  .sort();

const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(join(SRC, file), "utf8");
  const specifiers = [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)"([^"]+)"/g)].map(
    (match) => match[1]!,
  );
  return specifiers.map((to) => ({
    file,
    to: to.startsWith(".") ? sourceOf(relative(SRC, join(SRC, dirname(file), to))) : to,
  }));
});

/** The source of an imported path; a component's is `.tsx`. */
function sourceOf(path: string): string {
  const source = path.replace(/\.js$/, ".ts");
  return existsSync(join(SRC, `${source}x`)) ? `${source}x` : source;
}

const layerOf = (file: string) => file.split("/")[0]!.replace(/\.tsx?$/, "");

function reachable(layer: string): Set<string> {
  const seen = new Set<string>([layer]);
  for (const at of seen) for (const next of MAY_IMPORT[at] ?? []) seen.add(next);
  return seen;
}

describe("layers", () => {
  test("every file belongs to a layer", () => {
    expect([...new Set(files.map(layerOf))].filter((layer) => !(layer in MAY_IMPORT))).toEqual([]);
  });

  test("imports go down only", () => {
    const wrong = imports
      .filter(({ to }) => files.includes(to))
      .filter(({ file, to }) => !reachable(layerOf(file)).has(layerOf(to)))
      .map(({ file, to }) => `${file} imports ${to}`);
    expect(wrong).toEqual([]);
  });

  test("every relative import leads to a file of src or to package.json", () => {
    const lost = imports.filter(
      ({ to }) => /^\.|\.tsx?$/.test(to) && !files.includes(to) && !to.endsWith("package.json"),
    );
    expect(lost).toEqual([]);
  });

  test("there is no cycle between files", () => {
    const next = new Map(files.map((file) => [file, [] as string[]]));
    for (const { file, to } of imports)
      if (next.has(to) && isRuntimeImport(file, to)) next.get(file)!.push(to);
    const done = new Set<string>();
    const path: string[] = [];
    const cycles: string[] = [];
    const visit = (file: string): void => {
      if (path.includes(file)) {
        cycles.push([...path.slice(path.indexOf(file)), file].join(" → "));
        return;
      }
      if (done.has(file)) return;
      path.push(file);
      for (const to of next.get(file)!) visit(to);
      path.pop();
      done.add(file);
    };
    for (const file of files) visit(file);
    expect(cycles).toEqual([]);
  });

  test.each(Object.entries(ONE_IMPORTER))("%s is imported in its place only", (name, place) => {
    const importers = [
      ...new Set(
        imports.filter(({ to }) => to === name || to.startsWith(`${name}/`)).map(({ file }) => file),
      ),
    ];
    expect(importers.filter((file) => !new RegExp(place).test(file))).toEqual([]);
  });

  test("the browser app imports types alone of the server", () => {
    const values = imports
      .filter(({ file, to }) => layerOf(file) === "console-app" && files.includes(to))
      .filter(({ file, to }) => layerOf(to) !== "console-app" && isRuntimeImport(file, to));
    expect(values).toEqual([]);
  });

  test("data packages have one importer each", () => {
    for (const name of ["@duckdb/node-api", "apache-arrow"]) {
      const valueImporters = new Set(
        imports.filter(({ file, to }) => to === name && isRuntimeImport(file, to)).map(({ file }) => file),
      );
      expect([...valueImporters].length, `${name}: ${[...valueImporters]}`).toBeLessThanOrEqual(1);
    }
  });

  test("statements change no setting that an engine keeps for its next database", () => {
    const changing = files.filter((file) =>
      /run\(\s*[`"](SET|RESET) (GLOBAL )?(threads|memory_limit|preserve_insertion_order)/.test(
        readFileSync(join(SRC, file), "utf8"),
      ),
    );
    expect(changing).toEqual([]);
  });

  test("nothing waits by timers that a test runner can replace", () => {
    const globals =
      /(?<![.\w`"])(?:setTimeout|setInterval|clearTimeout|clearInterval|setImmediate|performance)\b(?=\(|\.now)/;
    const waiting = files
      .filter((file) => layerOf(file) !== "console-app")
      .filter((file) => {
        const text = readFileSync(join(SRC, file), "utf8");
        const imported = [
          ...text.matchAll(/import \{([^}]*)\} from "node:(?:timers|timers\/promises|perf_hooks)"/g),
        ]
          .flatMap(([, names]) => names!.split(","))
          .map((name) => name.trim().split(" as ").at(-1)!);
        const code = text.replaceAll(/^\s*(?:\*|\/\/|\/\*).*$/gm, "");
        const used = [...code.matchAll(new RegExp(globals, "g"))].map(([name]) => name);
        if (used.some((name) => !imported.includes(name))) return true;
        // One file alone gives others a turn: `nextTurn()`.
        return file !== "next-turn.ts" && /\bsetImmediate\b/.test(code);
      });
    expect(waiting).toEqual([]);
  });

  test("one file alone makes folders in the temporary directory of the system, which it removes after others", () => {
    const makers = files.filter((file) => /\btmpdir\b/.test(readFileSync(join(SRC, file), "utf8")));
    expect(makers).toEqual(["files/system-folder.ts"]);
  });

  test("nothing but the entry points re-exports", () => {
    const barrels = files.filter(
      (file) =>
        !["index.ts", "lazy-index.ts", "notebook.ts", "testing.ts", "tools.ts"].includes(file) &&
        /^export (\*|\{[^}]*\}) from/m.test(readFileSync(join(SRC, file), "utf8")),
    );
    expect(barrels).toEqual([]);
  });
});

/** Whether `file` imports more than types from `to`. */
function isRuntimeImport(file: string, to: string): boolean {
  const text = readFileSync(join(SRC, file), "utf8");
  const name = /\.tsx?$/.test(to)
    ? `/${to
        .split("/")
        .pop()!
        .replace(/\.tsx?$/, ".js")}`
    : to;
  const statements = text.matchAll(/import\s+(type\s+)?([\s\S]*?)\bfrom\s*"([^"]+)"/g);
  const ofIt = [...statements].filter(([, , , from]) => from === name || from!.endsWith(name));
  return (
    ofIt.some(([, typeOnly, names]) => !typeOnly && !onlyTypes(names!)) || text.includes(`import("${to}")`)
  );
}

function onlyTypes(names: string): boolean {
  const inner = /\{([^}]*)\}/.exec(names)?.[1];
  if (inner === undefined) return false;
  const parts = inner.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "").every((part) => part.startsWith("type "));
}
