import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAMS = join(ROOT, "test", "package", "programs");
/** As much of the types of LangChain as its entry point needs. */
const LANGCHAIN = "langchain-core.d.ts";

/** A project that depends on the package, and has nothing else installed but Node's types and zod. */
let project: string;

beforeAll(() => {
  if (!existsSync(join(ROOT, "dist", "index.d.ts")))
    throw new Error("dist/ has no declarations: run `npm run build` first");
  project = mkdtempSync(join(tmpdir(), "mirrorlake-types-"));
  const installed = join(project, "node_modules", "mirrorlake");
  mkdirSync(join(project, "node_modules", "@types"), { recursive: true });
  mkdirSync(installed);
  cpSync(join(ROOT, "package.json"), join(installed, "package.json"));
  cpSync(join(ROOT, "dist"), join(installed, "dist"), {
    recursive: true,
    filter: (path) => !/\.(js|map|css)$/.test(path),
  });
  for (const name of ["@types/node", "undici-types", "zod"])
    symlinkSync(join(ROOT, "node_modules", name), join(project, "node_modules", name));
  cpSync(PROGRAMS, project, { recursive: true });
  cpSync(join(ROOT, "src", "adapters", LANGCHAIN), join(project, LANGCHAIN));
  cpSync(join(ROOT, "test", "package", "project.json"), join(project, "package.json"));
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

function compile(files: readonly string[], options: ts.CompilerOptions): ts.Program {
  return ts.createProgram(
    files.map((file) => join(project, file)),
    {
      target: ts.ScriptTarget.ES2023,
      lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
      module: ts.ModuleKind.NodeNext,
      typeRoots: [join(project, "node_modules", "@types")],
      types: ["node"],
      strict: true,
      noEmit: true,
      preserveSymlinks: true,
      ...options,
    },
  );
}

function problemsOf(program: ts.Program): string[] {
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
    return `${file?.fileName ?? ""}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

function packagesOf(program: ts.Program): string[] {
  const names = program
    .getSourceFiles()
    .filter((file) => !program.isSourceFileDefaultLibrary(file))
    .map(({ fileName }) => relative(project, fileName).split("/"))
    .filter(([first]) => first === "node_modules")
    .map(([, name, member]) => (name?.startsWith("@") ? `${name}/${member}` : name!));
  return [...new Set(names)].sort();
}

describe("the declarations of the package, in a project of their own", () => {
  it("compile with every library checked, without the types of any other package", { tags: "slow" }, () => {
    const program = compile(["one-line.ts"], { skipLibCheck: false });
    expect(problemsOf(program)).toEqual([]);
    expect(packagesOf(program)).toEqual(["@types/node", "mirrorlake", "undici-types"]);
    // An empty program has 22,000 types; those of zod and Arrow together are 90,000 more.
    expect(program.getTypeCount()).toBeLessThan(35_000);
  });

  it("take options that may be undefined under exactOptionalPropertyTypes", { tags: "slow" }, () => {
    const program = compile(["exact-optional.ts"], { skipLibCheck: true, exactOptionalPropertyTypes: true });
    expect(problemsOf(program)).toEqual([]);
  });

  it("give frameworks for agents the forms that they take", { tags: "slow" }, () => {
    const program = compile(["agents.ts"], { skipLibCheck: false, exactOptionalPropertyTypes: true });
    expect(problemsOf(program)).toEqual([]);
  });

  it("serve the types of a required module under node16 and nodenext", { tags: "slow" }, () => {
    for (const module of [ts.ModuleKind.Node16, ts.ModuleKind.NodeNext])
      expect(problemsOf(compile(["required.cts"], { module, skipLibCheck: true }))).toEqual([]);
  });

  it("serve every entry point to a required module, with every library checked", { tags: "slow" }, () => {
    for (const module of [ts.ModuleKind.Node16, ts.ModuleKind.NodeNext]) {
      const options = {
        module,
        skipLibCheck: false,
        noUncheckedSideEffectImports: true,
        exactOptionalPropertyTypes: true,
      };
      expect(problemsOf(compile(["every-entry.cts", LANGCHAIN], options))).toEqual([]);
    }
  });

  it("import nothing but CommonJS beside them where they are CommonJS", () => {
    const dist = join(ROOT, "dist");
    const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((f) =>
      f.endsWith(".d.cts"),
    );
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(dist, file), "utf8"));
      const own = importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith("."));
      expect(
        own.filter((name) => !name.endsWith(".cjs")),
        file,
      ).toEqual([]);
    }
  });

  it("belong to modules that require() loads", () => {
    const require = createRequire(import.meta.url);
    expect(require("mirrorlake")).toHaveProperty("openLake");
    expect(require("mirrorlake/notebook")).toHaveProperty("table");
  });

  it("name every file that the package's exports do", () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      exports: Record<string, string | { types: string; require: { types: string } }>;
    };
    for (const entry of Object.values(exports)) {
      if (typeof entry === "string") continue;
      for (const file of [entry.types, entry.require.types])
        expect(existsSync(join(project, "node_modules", "mirrorlake", file)), file).toBe(true);
    }
  });
});
