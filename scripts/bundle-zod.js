// Puts what the built package uses of zod into one file of it, without zod's 64 foreign languages: 94 files less to load.
// Schemas of a caller's own zod work with it: zod tells its classes by their marks, not by identity.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";
import * as zod from "zod";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const ZOD = dirname(createRequire(import.meta.url).resolve("zod/package.json"));
const FOLDER = join(DIST, "zod");
const ENTRY = "\0entry";
const LANGUAGES = "\0languages";

const files = /** @type {string[]} */ (readdirSync(DIST, { recursive: true }))
  .map((name) => join(DIST, name))
  .filter((file) => file.endsWith(".js") && !file.startsWith(FOLDER))
  .map((file) => ({ file, code: readFileSync(file, "utf8") }))
  .filter(({ code }) => / from "zod"/.test(code));
const uses = (/** @type {RegExp} */ pattern) =>
  [...new Set(files.flatMap(({ code }) => [...code.matchAll(pattern)].map(([, name]) => name)))].sort();
const members = uses(/\bz\.(\w+)/g).filter((name) => name in zod && name !== "core");
const inCore = uses(/\bz\.core\.(\$?\w+)/g);

const bundled = await rollup({
  input: ENTRY,
  treeshake: { moduleSideEffects: false },
  onwarn: () => {}, // of comments and circles in zod's own files
  plugins: [
    {
      name: "zod-in-english",
      resolveId: (id, importer) => {
        if (id === ENTRY) return ENTRY;
        if (id.endsWith("/locales/index.js")) return LANGUAGES;
        return id.startsWith(".") && importer !== undefined ? join(dirname(importer), id) : id;
      },
      load: (id) => {
        const path = (file) => JSON.stringify(join(ZOD, "v4", file));
        if (id === ENTRY)
          return `import { ${members.map((name) => `${name} as z_${name}`).join(", ")} } from ${path("classic/external.js")};
            import { ${["config", ...inCore].join(", ")} } from ${path("core/index.js")};
            import en from ${path("locales/en.js")};
            config(en());
            export const z = { ${members.map((name) => `${name}: z_${name}`).join(", ")}, core: { ${inCore.join(", ")} } };`;
        return id === LANGUAGES ? `export { default as en } from ${path("locales/en.js")};` : undefined;
      },
    },
  ],
});
await bundled.write({ file: join(FOLDER, "zod.js"), format: "es" });
copyFileSync(join(ZOD, "LICENSE"), join(FOLDER, "LICENSE"));

for (const { file, code } of files) {
  const path = relative(dirname(file), join(FOLDER, "zod.js"));
  const rewritten = code.replace(
    /^import \{ z \} from "zod";$/m,
    `import { z } from "${path.startsWith(".") ? path : `./${path}`}";`,
  );
  if (/ from "zod"/.test(rewritten)) throw new Error(`${file} imports zod otherwise than as { z }`);
  writeFileSync(file, rewritten);
}
