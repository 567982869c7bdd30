// Builds the package: the modules, with what they need beside them, the declarations, and the console's browser app. None needs
// another, so all are made at once. With --unchecked the types of src/ are not checked, as `npm run task types` does it too.
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
const CONSOLE = [["scripts/build-console.js"]];

await inTurn([["scripts/clean.js"]]);
const results = await Promise.allSettled([inTurn(MODULES), inTurn(DECLARATIONS), inTurn(CONSOLE)]);
for (const result of results) {
  if (result.status === "fulfilled") continue;
  console.error(result.reason.message);
  process.exitCode = 1;
}
