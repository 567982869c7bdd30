/** Assembles the WebAssembly kernels from their text, kernels.wat, into modules that carry them. */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { kernelsModule } from "./kernel-source.js";

const LAYERS = [
  { layer: "search/vector", shared: true },
  { layer: "search/vector/codes", shared: true },
  { layer: "search/embed", shared: true },
  { layer: "store/rows", shared: false },
];

const targets = [];
for (const { layer, shared } of LAYERS) {
  const folder = new URL(`../../src/${layer}/`, import.meta.url);
  const module = await kernelsModule(await readFile(new URL("kernels.wat", folder), "utf8"), { shared });
  const target = fileURLToPath(new URL("kernels-binary.ts", folder));
  await writeFile(target, module);
  targets.push(target);
  console.log(`${target}: ${module.length} characters`);
}
execFileSync("npx", ["--no-install", "biome", "check", "--write", ...targets], { stdio: "inherit" });
