import type { ApiError } from "../contract/errors.js";
import type { RuleResult } from "./score.js";

/** A difference between a recording and a service. */
export interface ReportedDifference {
  readonly endpoint: string;
  readonly kind: string;
  readonly path: string;
  readonly calls: number;
  readonly local: string;
  readonly remote: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML allows none of them, however they are written
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/**
 * Results as JUnit XML, which test reporters read: a case a rule, and a case a difference from a recording.
 * @param stopped the error that ended the run before its end
 */
export function junitXml(
  results: readonly RuleResult[],
  differences: readonly ReportedDifference[] = [],
  stopped?: Error,
): string {
  const cases = [
    ...results.map(({ rule, transport, result, detail = "" }) => {
      const open = `<testcase classname="${xml(`parity.${transport}`)}" name="${xml(`${rule.id}: ${rule.says}`)}"`;
      if (result === "passed") return `${open}/>`;
      const inner =
        result === "failed" ? `<failure message="${xml(detail)}"/>` : `<skipped message="${xml(detail)}"/>`;
      return `${open}>${inner}</testcase>`;
    }),
    ...differences.map(
      ({ endpoint, kind, path, local, remote, calls }) =>
        `<testcase classname="parity.drift" name="${xml(`${endpoint} ${path}`)}"><failure type="${xml(kind)}" message="${xml(
          `${local} was recorded, ${remote} now, in ${calls} calls`,
        )}"/></testcase>`,
    ),
    ...(stopped === undefined
      ? []
      : [
          `<testcase classname="parity.run" name="the run reaches its end"><error type="${xml(codeOf(stopped))}" message="${xml(stopped.message)}"/></testcase>`,
        ]),
  ];
  const failures = results.filter(({ result }) => result === "failed").length + differences.length;
  const skipped = results.filter(({ result }) => result === "not testable").length;
  const errors = stopped === undefined ? 0 : 1;
  const counts = `tests="${cases.length}" failures="${failures}" errors="${errors}" skipped="${skipped}"`;
  const lines = cases.map((line) => `    ${line}\n`).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n  <testsuite name="mirrorlake parity" ${counts}>\n${lines}  </testsuite>\n</testsuites>\n`;
}

/**
 * Results as Markdown, for the summary of a CI job.
 * @param stopped the error that ended the run before its end
 */
export function markdownSummary(
  results: readonly RuleResult[],
  differences: readonly ReportedDifference[] = [],
  stopped?: Error,
): string {
  if (stopped !== undefined)
    return `### Parity: ❌ not finished\n\n\`${codeOf(stopped)}\`: ${cell(stopped.message)}\n\n`;
  const count = (wanted: RuleResult["result"]) => results.filter(({ result }) => result === wanted).length;
  const failed = results.filter(({ result }) => result === "failed");
  const head = failed.length + differences.length === 0 ? "✅ no drift" : "❌ drift";
  const lines = [
    `### Parity: ${head}`,
    "",
    `| passed | failed | not testable | differences from the recording |`,
    `|---:|---:|---:|---:|`,
    `| ${count("passed")} | ${failed.length} | ${count("not testable")} | ${differences.length} |`,
    "",
  ];
  if (failed.length > 0) {
    lines.push("| rule | through | what happened |", "|---|---|---|");
    for (const { rule, transport, detail = "" } of failed)
      lines.push(`| ${cell(rule.id)} | ${cell(transport)} | ${cell(detail)} |`);
    lines.push("");
  }
  if (differences.length > 0) {
    lines.push("| endpoint | kind | where | recorded | now | calls |", "|---|---|---|---|---|---:|");
    for (const { endpoint, kind, path, local, remote, calls } of differences)
      lines.push(`| ${[endpoint, kind, path, local, remote].map(cell).join(" | ")} | ${calls} |`);
    lines.push("");
  }
  return `${lines.join("\n")}\n`;
}

/** The stable code of an error, where it has one. */
function codeOf(error: Error): string {
  const { code } = error as Partial<ApiError>;
  return typeof code === "string" ? code : error.name;
}

function xml(text: string): string {
  return text
    .replace(NOT_XML, "\ufffd")
    .replace(/[&<>"]/g, (character) => ESCAPES[character]!)
    .replace(/\s+/g, " ");
}

function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
