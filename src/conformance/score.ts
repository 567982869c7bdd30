import { Label } from "../contract/service/label.js";
import type { Rule, Subject } from "./rule.js";

/** Result of one rule through one transport. */
export interface RuleResult {
  readonly rule: Rule;
  readonly transport: string;
  readonly result: "passed" | "failed" | "not testable";
  /** Reason of the failure, or why the rule cannot be checked. */
  readonly detail?: string;
  /** Error that a failed rule threw. */
  readonly error?: unknown;
}

/** Runs one rule on one subject; never rejects. */
export async function runRule(rule: Rule, subject: Subject): Promise<RuleResult> {
  const why = obstacle(rule, subject);
  if (why !== undefined) return { rule, transport: subject.transport, result: "not testable", detail: why };
  try {
    await rule.run!(subject);
    return { rule, transport: subject.transport, result: "passed" };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { rule, transport: subject.transport, result: "failed", detail, error };
  }
}

/** Why a rule cannot be checked on a subject; undefined when it can. */
export function obstacle(rule: Rule, subject: Subject): string | undefined {
  if (rule.run === undefined) return rule.why ?? "It cannot be checked.";
  if (rule.needs.includes("wire") && subject.send === undefined)
    return "A typed client sends no such request.";
  if (rule.needs.includes("world") && subject.world === undefined)
    return "It needs an account and a clock under our control.";
  return undefined;
}

/** Runs rules on a subject, one after the other. @throws the signal's reason when aborted */
export async function runRules(
  rules: readonly Rule[],
  subject: Subject,
  signal?: AbortSignal,
): Promise<readonly RuleResult[]> {
  const results: RuleResult[] = [];
  for (const rule of rules) {
    signal?.throwIfAborted();
    results.push(await runRule(rule, subject));
  }
  return results;
}

/** Counts of rules of one section and label; a rule counts once, with its worst result over the transports. */
export interface ScoreRow {
  readonly section: string;
  readonly label: Label;
  readonly passed: number;
  readonly failed: number;
  readonly notTestable: number;
}

/** The score by section and label, in the order in which the sections come. */
export function scoreOf(results: readonly RuleResult[]): readonly ScoreRow[] {
  const byRule = new Map<string, RuleResult[]>();
  for (const result of results) byRule.set(result.rule.id, [...(byRule.get(result.rule.id) ?? []), result]);
  const rows = new Map<string, { -readonly [Key in keyof ScoreRow]: ScoreRow[Key] }>();
  for (const [first, ...rest] of byRule.values()) {
    const { section, label } = first!.rule;
    const key = `${section} ${label}`;
    const row = rows.get(key) ?? { section, label, passed: 0, failed: 0, notTestable: 0 };
    const outcomes = [first!, ...rest].map(({ result }) => result);
    if (outcomes.includes("failed")) row.failed++;
    else if (outcomes.includes("passed")) row.passed++;
    else row.notTestable++;
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** The sum of all sections, for each label. */
export function sumsOf(rows: readonly ScoreRow[]): readonly ScoreRow[] {
  return Label.options.map((label) => {
    const own = rows.filter((row) => row.label === label);
    const sum = (key: "passed" | "failed" | "notTestable") => own.reduce((total, row) => total + row[key], 0);
    return {
      section: "all",
      label,
      passed: sum("passed"),
      failed: sum("failed"),
      notTestable: sum("notTestable"),
    };
  });
}

/** The score as a Markdown table, with the sums at its end. */
export function scoreTable(rows: readonly ScoreRow[]): string {
  const line = ({ section, label, passed, failed, notTestable }: ScoreRow) =>
    `| ${section} | ${label} | ${passed} | ${failed} | ${notTestable} |`;
  return [
    "| section of service.md | label | passed | failed | not testable |",
    "|---|---|--:|--:|--:|",
    ...[...rows, ...sumsOf(rows)].map(line),
    "",
  ].join("\n");
}
