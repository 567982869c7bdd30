import type { Answer } from "../../client/answer.js";
import { formatUsd, parseUsd } from "../../contract/money.js";
import type { Envelope } from "../../contract/service/envelope.js";
import { type Selection, selectData } from "../../contract/service/selection.js";
import type { CliContext } from "../context.js";
import { createProgress } from "../format/progress.js";

/** Runs {@link mergePages} and shows the item count on the progress line. */
export async function readAllPages(pages: AsyncIterable<Answer>, context: CliContext): Promise<Answer> {
  const progress = createProgress(context);
  try {
    return await mergePages(pages, (items) => progress.update("reading", items, 0, "items"));
  } finally {
    progress.end();
  }
}

/**
 * Merges the pages of a list into one answer: the last page's envelope, the distinct items of all pages (by `cid` if they have one;
 * service.md section 4.2.2) and the total cost. `onItems` is called with the item count after each page.
 */
export async function mergePages(
  pages: AsyncIterable<Answer>,
  onItems: (count: number) => void = () => {},
): Promise<Answer> {
  let last: Answer | undefined;
  let charged = 0n;
  let billed = false;
  let free = false;
  let empty = true;
  const items = new Map<string, unknown>();
  let count = 0;
  for await (const page of pages) {
    last = page;
    charged += parseUsd(page.meta.charged_usd);
    billed ||= page.meta.billed;
    free ||= page.meta.used_free_quota;
    empty &&= page.meta.empty;
    const { items: found = [] } = (page.data ?? {}) as { items?: readonly { cid?: string }[] };
    for (const item of found) {
      const key = typeof item.cid === "string" ? `cid:${item.cid}` : `at:${count++}`;
      if (!items.has(key)) items.set(key, item);
    }
    onItems(items.size);
  }
  if (last === undefined) throw new Error("a list has at least one page");
  const data = last.data === null ? null : { ...(last.data as object), items: [...items.values()] };
  const meta = { ...last.meta, billed, charged_usd: formatUsd(charged), used_free_quota: free, empty };
  return answerLike(last, { request_id: last.request_id, data, meta });
}

/** Applies a selection of fields to a merged answer. */
export function withSelection(answer: Answer, selection: Selection): Answer {
  return answerLike(answer, { ...answer, data: selectData(answer.data, selection) });
}

function answerLike({ headers, requestId, hint }: Answer, envelope: Envelope): Answer {
  Object.defineProperties(envelope, {
    headers: { value: headers },
    requestId: { value: requestId },
    hint: { value: hint },
  });
  return envelope as unknown as Answer;
}
