const STORED = "mirrorlake-console-sql";

/** What was written, and the query of the address that it was written over. */
interface Draft {
  readonly text: string;
  readonly over: string | undefined;
}

/** Drafts of lakes, for a browser that keeps nothing. */
const drafts = new Map<string, Draft>();

const nameOf = (lake: string) => `${STORED} ${lake}`;

/** What the tab keeps for a lake; nothing where the browser lets no page keep anything. */
function kept(lake: string): Draft | undefined {
  try {
    const { text, over } = JSON.parse(sessionStorage.getItem(nameOf(lake)) ?? "{}") as Partial<Draft>;
    return text === undefined ? undefined : { text, over };
  } catch {
    return undefined; // it is not allowed to, or another page wrote something else there
  }
}

/**
 * What was written last over a query of the address, or without one over any: for who leaves the view or loads it again before it is run.
 * @param lake the lake's id: what is written for one is shown in no other
 */
export function draftOf(lake: string, query: string | undefined): string | undefined {
  const draft = drafts.get(lake) ?? kept(lake);
  return draft !== undefined && (query === undefined || draft.over === query) ? draft.text : undefined;
}

/** Keeps what is written, for this tab of the browser alone. */
export function keepDraft(lake: string, text: string, over: string | undefined): void {
  drafts.set(lake, { text, over });
  try {
    sessionStorage.setItem(nameOf(lake), JSON.stringify({ text, over }));
  } catch {
    // The browser keeps nothing, or no more: it is there until the page is loaded again.
  }
}
