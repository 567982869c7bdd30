// Puts the compiled modules of build/ into the few files of dist/ that the package has: opening a lake and asking it needs some 530
// modules, each some quarter of a millisecond to load. zod and msgpackr are in them: zod's 64 foreign languages
// are not, and msgpackr brings no install script, which package managers refuse. Entry points, and modules that look for files
// beside themselves, stay where they are.
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BUILD = join(ROOT, "build");
const DIST = join(ROOT, "dist");

/**
 * What programs start with, and the modules that each loads without fail. Modules that the same of them need are in one file; what
 * none of them needs, or one command alone, is loaded when it is used.
 */
const STARTS = {
  cli: ["cli/main.js", "cli/program.js"],
  command: [...read("cli/commands.js").matchAll(/import\("\.\/(.+?)"\)/g)].map(([, file]) =>
    join("cli", file),
  ),
  entry: ["lazy-index.js"],
  lake: ["client/open-lake.js", "lake/open/open-view.js"],
  worker: ["search/worker-tasks.js", "search/vector/serve-search.js"],
  sql: ["lake/query/mirrorlake-sql.js"],
};
/** Packages that are in the files. Schemas of a caller's own zod work with it: zod tells its classes by their marks, not by identity. */
const INLINED = {
  zod: join(folderOf("zod"), "index.js"),
  msgpackr: join(folderOf("msgpackr/pack"), "pack.js"),
};
/** Circles and comments of zod's own files, and what tsc writes for `using`. */
const HARMLESS = ["CIRCULAR_DEPENDENCY", "INVALID_ANNOTATION", "THIS_IS_UNDEFINED"];

const compiled = readdirSync(BUILD, { recursive: true, encoding: "utf8" });
const { exports, bin } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const published = [...Object.values(exports), ...Object.values(bin)]
  .map((entry) => (typeof entry === "string" ? entry : entry.default))
  .filter((file) => file.startsWith("./dist/"))
  .map((file) => relative("dist", file));
const placed = compiled.filter((file) => file.endsWith(".js") && read(file).includes("import.meta.url"));
const inputs = [...new Set([...published, ...placed])];

/** @type {ReadonlyMap<string, ReadonlySet<string>> | undefined} */
let needs;

const bundle = await rollup({
  input: Object.fromEntries(inputs.map((file) => [file.replace(/\.js$/, ""), join(BUILD, file)])),
  external: (id) => /^[@a-z]/.test(id) && !(id in INLINED),
  onLog(_level, log, handle) {
    if (!HARMLESS.includes(log.code ?? "")) handle("error", log);
  },
  plugins: [
    {
      name: "compiled-modules",
      resolveId: (id, importer) =>
        INLINED[id] ??
        (id.startsWith(".") && importer !== undefined ? join(dirname(importer), id) : undefined),
      load: (id) => {
        const code = readFileSync(id, "utf8");
        if (!id.startsWith(BUILD)) return { code, moduleSideEffects: false };
        return {
          code: code.replace(/^\/\/# sourceMappingURL=.*$/m, ""),
          map: readFileSync(`${id}.map`, "utf8"),
        };
      },
    },
  ],
});
const { output } = await bundle.write({
  dir: DIST,
  format: "es",
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name].js",
  sourcemap: true,
  hoistTransitiveImports: false,
  minifyInternalExports: false,
  manualChunks: fileOf,
});

for (const { fileName, facadeModuleId, code } of output.filter((file) => file.type === "chunk")) {
  if (code.includes("import.meta.url") && facadeModuleId !== join(BUILD, fileName))
    throw new Error(
      `dist/${fileName} has a module that looks for files beside itself, and is not where it was`,
    );
}
for (const file of compiled.filter((name) => /\.cjs(\.map)?$/.test(name)))
  copyFileSync(join(BUILD, file), join(DIST, file));
mkdirSync(join(DIST, "licenses"), { recursive: true });
for (const [name, file] of Object.entries(INLINED))
  copyFileSync(join(dirname(file), "LICENSE"), join(DIST, "licenses", `${name}.txt`));

/** @param {string} file in build/ */
function read(file) {
  return readFileSync(join(BUILD, file), "utf8");
}

/** @param {string} name */
function folderOf(name) {
  return dirname(fileURLToPath(import.meta.resolve(name)));
}

/** @type {import("rollup").GetManualChunk} */
function fileOf(id, { getModuleInfo }) {
  needs ??= new Map(
    Object.entries(STARTS).map(([name, files]) => [
      name,
      reached(
        files.map((file) => join(BUILD, file)),
        getModuleInfo,
      ),
    ]),
  );
  const starts = [...needs].filter(([, modules]) => modules.has(id)).map(([name]) => name);
  if (starts.every((name) => name === "command")) return;
  const file = relative(BUILD, id);
  return inputs.includes(file) ? file.replace(/\.js$/, "") : starts.join("-");
}

/**
 * Modules that are loaded with these.
 * @param {readonly string[]} roots
 * @param {import("rollup").GetModuleInfo} getModuleInfo
 */
function reached(roots, getModuleInfo) {
  const modules = new Set(roots);
  for (const id of modules) for (const next of getModuleInfo(id)?.importedIds ?? []) modules.add(next);
  return modules;
}
