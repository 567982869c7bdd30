// Writes the score of `mirrorlake parity` between its markers in docs/parity.md. Run after a build: npm run task parity.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const document = new URL("../docs/parity.md", import.meta.url);

const table = execFileSync(process.execPath, [cli, "parity", "--markdown"], { encoding: "utf8" });
const text = readFileSync(document, "utf8");
const marked = /(<!-- parity:begin -->\n)[\s\S]*?(<!-- parity:end -->)/;
if (!marked.test(text)) throw new Error("docs/parity.md has no parity markers");
writeFileSync(
  document,
  text.replace(marked, (_, begin, end) => `${begin}\n${table}\n${end}`),
);
