import type { QueryTerm } from "../../analysis/query-terms.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { LookedUp } from "./look-up-term.js";

/** Terms of earlier queries of the same segments and statistics, by their alternatives. */
export class TermMemory {
  private readonly known = new Map<string, LookedUp>();

  /** Looks a term up, unless that was done. */
  get(key: string, { forms }: QueryTerm, lookUp: () => LookedUp): LookedUp {
    const known = this.known.get(key);
    // Other words may have the same alternatives in other languages.
    if (known !== undefined && known.forms === forms) return known;
    const found = lookUp();
    if (this.known.size >= SEARCH_DEFAULTS.rememberedWords) this.known.clear();
    this.known.set(key, found);
    return found;
  }
}
