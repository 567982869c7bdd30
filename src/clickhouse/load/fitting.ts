import type { Connection } from "../connection.js";
import type { CurrentFit, Fit } from "../fit.js";
import { dropRefitted } from "./index-vectors.js";
import type { LiveChange } from "./live-documents.js";
import type { FitPlan } from "./plan-fit.js";
import { type FitOptions, refit } from "./refit.js";

/** A change as far as vectors follow from it. */
export interface FittedChange extends LiveChange {
  readonly base: CurrentFit | undefined;
  readonly plan: FitPlan | undefined;
}

/** What an install fits and embeds beside its own rows; kept as long as what it was made of stays the same. */
export class Fitting {
  /** What was made, and of which fit vectors were sent for it. */
  private done: { readonly key: string; readonly fit: Fit; readonly sent: number } | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly options: FitOptions,
  ) {}

  /** The fit that counts after a change; undefined if it is still to be made. @param staged the fit of the load's own vectors */
  fitFor(change: FittedChange, staged: Fit | undefined): Fit | undefined {
    const { base, plan, made } = change;
    // The first install of a lake fitted its own.
    const own: Fit = staged ?? { fit: 0, model: made.model };
    if (plan === undefined || plan.needs === "none") return base ?? own;
    return this.done?.key === keyOf(change) ? this.done.fit : undefined;
  }

  /** Makes what a change needs. */
  async fit(change: FittedChange): Promise<void> {
    const { base, plan, made } = change;
    if (this.done !== undefined) await dropRefitted(this.connection, this.done.sent, made.id);
    this.done = undefined;
    const refits = plan!.needs === "all";
    const fit = await refit(
      this.connection,
      { change, base: base!, refits, records: plan!.size.liveRecords },
      this.options,
    );
    this.done = { key: keyOf(change), fit, sent: refits ? made.id : base!.fit };
  }
}

/** What vectors are made of: which rows, of which texts, beside which fit. */
function keyOf({ base, plan }: FittedChange): string {
  return `${plan!.needs} ${plan!.size.content} ${plan!.size.liveRecords} ${base!.fit}`;
}
