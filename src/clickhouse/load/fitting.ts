import { type Rebuild, type RebuildReason, tellRebuild } from "../../lake/install/rebuild.js";
import type { Connection } from "../connection.js";
import type { CurrentFit, Fit } from "../fit.js";
import { fitBytes } from "./fit-bytes.js";
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
  /** The first refit, as it was announced. */
  rebuild: Rebuild | undefined;

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
    const records = plan!.size.liveRecords;
    if (plan!.needs === "all") await this.announce(plan!.reason, base!, records);
    const fit = await refit(this.connection, { change, base: base!, refits, records }, this.options);
    this.done = { key: keyOf(change), fit, sent: refits ? made.id : base!.fit };
  }

  /** Tells of a refit before it starts; where others made something visible meanwhile, and it is done again, not again. */
  private async announce(reason: RebuildReason, base: Fit, records: number): Promise<void> {
    if (this.rebuild !== undefined) return;
    const bytes = await fitBytes(this.connection, base, records);
    this.rebuild = tellRebuild(reason, "refit", { records, bytes }, this.options.onProgress);
  }
}

/** What vectors are made of: which rows, of which texts, beside which fit. */
function keyOf({ base, plan }: FittedChange): string {
  return `${plan!.needs} ${plan!.size.content} ${plan!.size.liveRecords} ${base!.fit}`;
}
