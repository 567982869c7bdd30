// Builds the package: the modules, with what they need beside them, and the declarations. Neither needs the other, so both are
// made at once. With --unchecked the types of src/ are not checked, as `npm run task types` does it too.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Runs programs of node one after the other. @param {readonly (readonly string[])[]} programs */
async function inTurn(programs) {
  for (const args of programs) {
    const code = await new Promise((resolve, reject) => {
      spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit" })
        .once("error", reject)
        .once("close", resolve);
    });
    if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}`);
  }
}

const MODULES = [
  ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--noCheck", "--declaration", "false"],
  ["scripts/bundle-zod.js"],
  ["scripts/copy-docs-ui.js"],
];
const DECLARATIONS = [["scripts/declarations/main.js", ...process.argv.slice(2)]];

await inTurn([["scripts/clean.js"]]);
const results = await Promise.allSettled([inTurn(MODULES), inTurn(DECLARATIONS)]);
for (const result of results) {
  if (result.status === "fulfilled") continue;
  console.error(result.reason.message);
  process.exitCode = 1;
}
