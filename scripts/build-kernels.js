import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compileKernels, kernelsModule } from "./kernel-source.js";

for (const layer of ["vector", "embed"]) {
  const folder = new URL(`../src/search/${layer}/`, import.meta.url);
  const binary = await compileKernels(await readFile(new URL("kernels.wat", folder), "utf8"));
  const target = fileURLToPath(new URL("kernels-binary.ts", folder));
  await writeFile(target, kernelsModule(binary));
  console.log(`${target}: ${binary.length} bytes of WebAssembly`);
}
