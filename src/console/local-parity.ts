import type { RuleResult } from "../conformance/score.js";
import { makeSystemFolder } from "../files/system-folder.js";
import type { ParityAnswer } from "./answers.js";
import type { ReportProgress } from "./jobs.js";

/** Runs the rules that `mirrorlake parity` runs, through `lake.fetch`, on the sample lake in a temporary folder. */
export async function localParity(report: ReportProgress, signal: AbortSignal): Promise<ParityAnswer> {
  const [{ Lake }, { openLocalSubject }, { fetchTransport }, { RULES }, score, sample] = await Promise.all([
    import("../lake/lake.js"),
    import("../conformance/local-subject.js"),
    import("../conformance/transports.js"),
    import("../conformance/rules.js"),
    import("../conformance/score.js"),
    import("../conformance/sample/sample-lake.js"),
  ]);
  const temporary = await makeSystemFolder("parity");
  try {
    report("building the sample lake", 0, RULES.length, "rules");
    const lake = await Lake.open(await sample.buildSampleLake(temporary.path, undefined, signal));
    try {
      const subject = await openLocalSubject(fetchTransport, { lake });
      const results: RuleResult[] = [];
      try {
        for (const [at, rule] of RULES.entries()) {
          report(`rule ${rule.id}`, at, RULES.length, "rules");
          results.push(...(await score.runRules([rule], subject, signal)));
        }
      } finally {
        await subject.close();
      }
      return { rows: score.scoreOf(results) };
    } finally {
      await lake.close();
    }
  } finally {
    await temporary.remove();
  }
}
