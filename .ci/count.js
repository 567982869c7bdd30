// Prints "N passed, N failed" from vitest's JSON report; fails where there is none, nothing ran, or something failed.
import { readFileSync } from "node:fs";

let passed = 0;
let failed = 1;
try {
  const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
  passed = report.numPassedTests;
  // A file that cannot be loaded fails as a suite without failing a test.
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  ).length;
  failed = report.numFailedTests + broken;
} catch (error) {
  console.error(`no test report: ${/** @type {Error} */ (error).message}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
