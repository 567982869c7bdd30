/** Assembles the WebAssembly kernels from their text, kernels.wat, into modules that carry them. */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compileKernels, kernelsModule } from "./kernel-source.js";

const targets = [];
for (const layer of ["search/vector", "search/embed", "store"]) {
  const folder = new URL(`../../src/${layer}/`, import.meta.url);
  const binary = await compileKernels(await readFile(new URL("kernels.wat", folder), "utf8"));
  const target = fileURLToPath(new URL("kernels-binary.ts", folder));
  await writeFile(target, kernelsModule(binary));
  targets.push(target);
  console.log(`${target}: ${binary.length} bytes of WebAssembly`);
}
execFileSync("npx", ["--no-install", "biome", "check", "--write", ...targets], { stdio: "inherit" });
