// Puts what the built package uses of msgpackr into one file of it. As a dependency it brings msgpackr-extract, whose install script
// package managers refuse: npm and Yarn warn of it, and pnpm ends with an error.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const MSGPACKR = dirname(fileURLToPath(import.meta.resolve("msgpackr/pack")));
const FOLDER = join(DIST, "msgpackr");
const USER = join(DIST, "store/rows/row-store.js");
const ENTRY = "\0entry";

const bundled = await rollup({
  input: ENTRY,
  plugins: [
    {
      name: "msgpackr-in-javascript",
      resolveId: (id) => (id === ENTRY ? ENTRY : undefined),
      load: (id) =>
        id === ENTRY ? `export { Packr } from ${JSON.stringify(join(MSGPACKR, "pack.js"))};` : undefined,
    },
  ],
});
await bundled.write({ file: join(FOLDER, "msgpackr.js"), format: "es" });
copyFileSync(join(MSGPACKR, "LICENSE"), join(FOLDER, "LICENSE"));

const code = readFileSync(USER, "utf8");
const path = relative(dirname(USER), join(FOLDER, "msgpackr.js"));
const rewritten = code.replace(/^(import \{ Packr \} from) "msgpackr";$/m, `$1 "${path}";`);
if (rewritten === code) throw new Error(`${USER} does not import { Packr } from msgpackr`);
writeFileSync(USER, rewritten);
