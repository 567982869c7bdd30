import { nextTurn } from "../../../next-turn.js";
import type { CandidateRows } from "../../document.js";
import type { PlacedSegment } from "../placed-segment.js";
import { CorpusStatistics } from "./corpus-statistics.js";

/** Statistics that are measured for the first query: look-ups need none. */
export class StatisticsOnDemand {
  private measured: CorpusStatistics | undefined;
  private measuring: Promise<void> | undefined;

  constructor(
    private readonly segments: readonly PlacedSegment[],
    private readonly live?: CandidateRows,
  ) {}

  /** The statistics, measured at once where they were not before. */
  get all(): CorpusStatistics {
    this.measured ??= CorpusStatistics.of(this.segments, this.live);
    return this.measured;
  }

  /** Measures them before they are needed: of a million rows that takes longer than the event loop should wait, so it turns meanwhile. */
  measure(): Promise<void> {
    this.measuring ??= this.inTurns();
    return this.measuring;
  }

  private async inTurns(): Promise<void> {
    if (this.measured !== undefined) return;
    const steps = CorpusStatistics.measuring(this.segments, this.live);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) {
        this.measured ??= value;
        return;
      }
      await nextTurn();
    }
  }
}
