import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Lists, as its last line on standard error, the files that a process has compiled: modules of both kinds. */
const LIST_FILES = `
import { Session } from "node:inspector";
const session = new Session();
session.connect();
const files = [];
session.on("Debugger.scriptParsed", ({ params: { url } }) => {
  if (url.startsWith("file:")) files.push(url);
});
session.post("Debugger.enable");
process.on("exit", () => process.stderr.write("\\n" + JSON.stringify(files)));
`;

/** Runs Node with these arguments and says which files it loaded, by path from the root of the package. */
export async function loadedFiles(args: readonly string[]): Promise<readonly string[]> {
  const list = `data:text/javascript,${encodeURIComponent(LIST_FILES)}`;
  const root = new URL("../../", import.meta.url);
  const { stderr } = await promisify(execFile)(process.execPath, ["--import", list, ...args], { cwd: root });
  const files = JSON.parse(stderr.slice(stderr.lastIndexOf("\n") + 1)) as string[];
  return files.map((file) => file.replace(root.href, ""));
}

/** The packages among loaded files. */
export function packagesOf(files: readonly string[]): readonly string[] {
  const names = files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  return [...new Set(names)].sort();
}
