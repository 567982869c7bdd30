import type { Clock } from "../clock.js";

/** What `freshness` is measured from: the newest capture, the service clock, or an instant (decisions.md, "Time"). */
export type AsOfRule = "corpus" | "system" | number;

/** The instant that a rule means for a corpus, ms. */
export function asOfMsOf(rule: AsOfRule, corpus: { readonly asOfMs: number }, clock: Clock): number {
  if (rule === "corpus") return corpus.asOfMs;
  return rule === "system" ? clock.now() : rule;
}

/** The instant that a rule means for windows of raw items of a corpus, ms. */
export async function rawAsOfMsOf(
  rule: AsOfRule,
  corpus: { readonly asOfMs: number; rawAsOfMs(): Promise<number> },
  clock: Clock,
): Promise<number> {
  return rule === "corpus" ? corpus.rawAsOfMs() : asOfMsOf(rule, corpus, clock);
}
