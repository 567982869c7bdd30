import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RuleResult } from "../conformance/score.js";
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
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-parity-"));
  try {
    report("building the sample lake", 0, RULES.length, "rules");
    const lake = await Lake.open(await sample.buildSampleLake(dir));
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
    await rm(dir, { recursive: true, force: true });
  }
}
