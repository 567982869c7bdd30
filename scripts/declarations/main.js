// Checks src/ and writes the package's declarations: one file for each entry point, with what it exports and what that needs, and no
// import of another package. An editor then reads a few thousand lines, and a program that skips no library check compiles in seconds.
// With --unchecked it leaves out the check of src/, two thirds of the time, which `npm run task types` does too.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import ts from "typescript";
import { InferredTypes } from "./expand-inferred.js";
import { withUndefinedMembers } from "./optional-members.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DRAFT = join(ROOT, "dist-types");

/** Packages whose types an entry point may name, because it is for those who have them. */
const ALLOWED = {
  "adapters/langchain": ["@langchain/core/messages", "@langchain/core/retrievers", "@langchain/core/tools"],
};

const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const entries = Object.fromEntries(
  Object.values(exports)
    .filter((entry) => typeof entry === "object")
    .map(({ types }) => relative("dist", types).replace(/\.d\.ts$/, ""))
    .map((name) => [name, join(DRAFT, `${name}.d.ts`)]),
);

/**
 * Packages whose types the declarations name but do not import: a stand-in says as much of each as is needed, and the package's
 * own types fit it. Their own are dear: 90 MB for zod, 50 MB for Arrow.
 */
const STAND_INS = ["zod", "apache-arrow", "hono"];

const program = createProgram();
const problems = ts.getPreEmitDiagnostics(program);
if (problems.length > 0) fail(ts.formatDiagnosticsWithColorAndContext(problems, formatHost()));
rmSync(DRAFT, { recursive: true, force: true });
try {
  emitDraft(program);
  await bundle();
} finally {
  rmSync(DRAFT, { recursive: true, force: true });
}

function createProgram() {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(ROOT, "tsconfig.build.json"),
    {
      emitDeclarationOnly: true,
      declaration: true,
      sourceMap: false,
      inlineSources: false,
      outDir: DRAFT,
      noCheck: process.argv.includes("--unchecked"),
    },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: ({ messageText }) => fail(String(messageText)) },
  );
  if (config === undefined) return fail("tsconfig.build.json cannot be read");
  return ts.createProgram(config.fileNames, config.options);
}

/** Writes the declarations that the entry points reach, expanded, where the bundler reads them. */
function emitDraft(program) {
  cpSync(new URL("stand-ins", import.meta.url), join(DRAFT, "stand-ins"), { recursive: true });
  const emitted = new Map();
  const { diagnostics } = program.emit(undefined, (path, text, _mark, _onError, [source] = []) =>
    emitted.set(path, { text, source }),
  );
  if (diagnostics.length > 0) fail(ts.formatDiagnosticsWithColorAndContext(diagnostics, formatHost()));
  const inferred = new InferredTypes(program);
  const written = new Set();
  const queue = Object.values(entries);
  for (const path of queue) {
    const draft = emitted.get(path);
    if (draft === undefined || written.has(path)) continue;
    written.add(path);
    mkdirSync(dirname(path), { recursive: true });
    const text = withStandIns(path, inferred.expand(draft.source.fileName, draft.text));
    writeFileSync(path, text);
    for (const [, name] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.js"/g))
      queue.push(join(dirname(path), `${name}.d.ts`));
  }
}

function withStandIns(path, text) {
  const up = relative(dirname(path), DRAFT) || ".";
  return text.replace(/ from "([^"]+)"/g, (all, name) =>
    STAND_INS.includes(name) ? ` from "${up}/stand-ins/${name}.js"` : all,
  );
}

async function bundle() {
  const packages = [];
  const bundled = await rollup({
    input: entries,
    plugins: [dts({ tsconfig: join(ROOT, "tsconfig.build.json") })],
    external: (id) => !/^[./]/.test(id),
    shimMissingExports: true, // a stand-in lacks what no entry point names: a shim that is used is found below
    // Entry points share types that none exports: a program that wants to name one names it through what it stands in.
    onwarn: ({ code, message }) =>
      code === "SHIMMED_EXPORT" || /references private shared type exports/.test(message)
        ? undefined
        : fail(message),
  });
  const written = await bundled.write({
    dir: join(ROOT, "dist"),
    format: "es",
    hoistTransitiveImports: false, // an entry point would import the chunks of its chunks, for nothing
    entryFileNames: "[name].d.ts",
    chunkFileNames: ({ name }) => `shared-types/${name.replace(/\.d$/, "")}.d.ts`,
  });
  const output = written.output.filter((file) => file.type === "chunk");
  for (const { fileName, imports, code } of output) {
    if (code.includes("_missingExportShim")) packages.push(`${fileName} names what a stand-in lacks`);
    const inferred = /\bz\.(infer|input|output)\b.*/.exec(code)?.[0];
    if (inferred !== undefined)
      packages.push(`${fileName} infers a type: give it a name of its own (${inferred})`);
    const allowed = ALLOWED[fileName.replace(/\.d\.ts$/, "")] ?? [];
    for (const name of imports) {
      const known = name.endsWith(".d.ts") || name.startsWith("node:") || builtinModules.includes(name);
      if (!known && !allowed.includes(name)) packages.push(`${fileName} imports ${name}`);
    }
  }
  for (const { fileName, code } of output) {
    const declarations = withUndefinedMembers(code);
    writeFileSync(join(ROOT, "dist", fileName), declarations);
    writeForRequire(fileName, declarations);
  }
  if (packages.length > 0)
    fail(
      `The declarations need types of other packages:\n${packages.join("\n")}\nName interfaces of the project's own.`,
    );
}

/**
 * Under `module: node16` TypeScript takes declarations beside an ES module for what `require` cannot load, though Node 20.19 can:
 * for the condition `require` they stand as CommonJS.
 */
function writeForRequire(fileName, code) {
  const path = join(ROOT, "dist", fileName.replace(/\.d\.ts$/, ".d.cts"));
  writeFileSync(path, code.replace(/((?:from|import) ['"]\.[^'"]*)\.js(['"])/g, "$1.cjs$2"));
}

function formatHost() {
  return { getCanonicalFileName: (name) => name, getCurrentDirectory: () => ROOT, getNewLine: () => "\n" };
}

/** @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}
