// Writes the score of `mirrorlake parity` between its markers in the README. Run after a build: npm run parity.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const readme = new URL("../README.md", import.meta.url);

const table = execFileSync(process.execPath, [cli, "parity", "--markdown"], { encoding: "utf8" });
const text = readFileSync(readme, "utf8");
const marked = /(<!-- parity:begin -->\n)[\s\S]*?(<!-- parity:end -->)/;
if (!marked.test(text)) throw new Error("README.md has no parity markers");
writeFileSync(
  readme,
  text.replace(marked, (_, begin, end) => `${begin}\n${table}\n${end}`),
);
