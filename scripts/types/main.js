// Checks the types of sources, tests and scripts: three programs, each by its configuration, in one process. A program checks the files
// that its configuration names. Sources that scripts and the console only import are checked by the first one, whose options are the
// strictest. Names of configurations: those alone.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CONFIGURATIONS = ["tsconfig.json", "tsconfig.scripts.json", "src/console-app/tsconfig.json"];

/** @type {ts.FormatDiagnosticsHost} */
const FORMAT = {
  getCurrentDirectory: () => ROOT,
  getCanonicalFileName: (name) => name,
  getNewLine: () => "\n",
};

/** What is wrong with the files of a configuration. @param {string} name @returns {readonly ts.Diagnostic[]} */
function faultsOf(name) {
  const file = join(ROOT, name);
  const { config, error } = ts.readConfigFile(file, ts.sys.readFile);
  if (error !== undefined) return [error];
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(
    config,
    ts.sys,
    dirname(file),
    undefined,
    file,
  );
  if (errors.length > 0) return errors;
  const program = ts.createProgram(fileNames, options);
  const own = new Set(fileNames.map((each) => resolve(each)));
  const faults = [...program.getConfigFileParsingDiagnostics(), ...program.getOptionsDiagnostics()];
  for (const source of program.getSourceFiles()) faults.push(...program.getSyntacticDiagnostics(source));
  faults.push(...program.getGlobalDiagnostics());
  for (const source of program.getSourceFiles())
    if (own.has(resolve(source.fileName))) faults.push(...program.getSemanticDiagnostics(source));
  return faults;
}

let count = 0;
const asked = process.argv.slice(2);
for (const name of asked.length > 0 ? asked : CONFIGURATIONS) {
  const faults = ts.sortAndDeduplicateDiagnostics(faultsOf(name));
  count += faults.length;
  if (faults.length > 0) console.error(ts.formatDiagnosticsWithColorAndContext(faults, FORMAT));
}
if (count > 0) process.exitCode = 1;
