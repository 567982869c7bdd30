import type { LakeView } from "../lake/open/open-view.js";
import { AskedCorpus, type Asker } from "./asked-corpus.js";
import { AskedIndex } from "./asked-index.js";
import type { ClickHouseView } from "./clickhouse-view.js";

/** What work on a lake on ClickHouse gets. */
export interface ShownView extends LakeView {
  /** The view itself, for work that asks the server past `corpus` and `index`; what comes of it counts as an answer. */
  asked(): Promise<Pick<ClickHouseView, "tables" | "counting" | "corpus">>;
}

/** A view of some loads, in the newest state of the removals that is known, and how many use it. */
export interface Held {
  view: ClickHouseView;
  users: number;
  moving?: Promise<void> | undefined;
  /** Whether it can answer no more: what was removed since is known by slices that superseded its own. */
  outdated?: boolean;
}

/** What work gets of a view. */
export function shownView({ generation }: ClickHouseView, asker: Asker): ShownView {
  return {
    generation,
    corpus: new AskedCorpus(asker),
    index: new AskedIndex(asker),
    asked: () => asker.ask(async (view) => view),
  };
}

/** Takes one user away; the last one closes the view. */
export async function release(held: Held): Promise<void> {
  held.users -= 1;
  if (held.users === 0) await held.view.close();
}
