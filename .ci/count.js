// Prints each failure of vitest's JSON reports with the first lines of its message, then "N passed, N failed" of all of them;
// fails where a report is missing, one ran nothing, or something failed.
import { readFileSync } from "node:fs";

const LINES = 12;

let passed = 0;
let failed = 0;
for (const path of process.argv.slice(2)) {
  try {
    const report = JSON.parse(readFileSync(path, "utf8"));
    const failures = report.testResults.flatMap(failuresOf);
    for (const failure of failures) console.log(failure.split("\n").slice(0, LINES).join("\n  "));
    passed += report.numPassedTests;
    failed += failures.length;
    if (report.numPassedTests + failures.length === 0) throw new Error("no test ran");
  } catch (error) {
    console.error(`no test report: ${/** @type {Error} */ (error).message}`);
    failed += 1;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

/**
 * The failed tests of a file. A file that cannot be loaded fails without a failed test.
 * @param {{ name: string, status: string, message: string, assertionResults: { status: string, fullName: string, failureMessages: string[] }[] }} file
 */
function failuresOf({ name, status, message, assertionResults }) {
  const tests = assertionResults.filter((test) => test.status === "failed");
  if (tests.length === 0) return status === "failed" ? [`failed: ${name}\n${message}`] : [];
  return tests.map(({ fullName, failureMessages }) => `failed: ${name}: ${fullName}\n${failureMessages[0] ?? ""}`);
}
