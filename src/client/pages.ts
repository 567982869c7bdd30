import { ResponseError } from "../contract/errors.js";
import type { Answer } from "./answer.js";

/** A page of any list: what the comments page of service.md section 2.5 has, and every assumed list with it. */
export interface Page<Item = unknown> {
  readonly items: readonly Item[];
  readonly cursor: number | string;
  readonly has_more: boolean;
}

/** Item of a page; `never` for an endpoint whose data is no page, `unknown` for one that is not known. */
export type ItemOf<Data> = unknown extends Data ? unknown : Data extends Page<infer Item> ? Item : never;

/** Asks for the page at a cursor; for the first one, without. */
type PageAt<Data> = (at: { readonly cursor?: number | string }) => Promise<Answer<Data>>;

/**
 * Follows a list's cursors. The first call uses the caller's own cursor, if any. An abort ends it before the next page.
 * @throws ResponseError `not_a_page` for data without items, `cursor_stuck` for a cursor that leads back
 * @throws the signal's reason when it is aborted
 */
export async function* pagesOf<Data>(
  pageAt: PageAt<Data>,
  signal?: AbortSignal,
): AsyncGenerator<Answer<Data>, void, undefined> {
  const seen = new Set<number | string>();
  let at: { readonly cursor?: number | string } = {};
  for (;;) {
    signal?.throwIfAborted();
    const answer = await pageAt(at);
    yield answer;
    if (answer.data === null) return;
    const { cursor, has_more } = asPage(answer.data);
    if (!has_more) return;
    if (seen.has(cursor)) {
      throw new ResponseError(
        "cursor_stuck",
        `The list's cursor ${cursor} leads back to a page already read`,
        {
          value: cursor,
          remedy: "Stop at the items that came so far; the list changed or the service is at fault.",
        },
      );
    }
    seen.add(cursor);
    at = { cursor };
  }
}

/**
 * The items of pages, without those whose `cid` came before: pages may overlap (service.md section 4.2.2). An abort ends it at
 * once, in the middle of a page too.
 * @throws the signal's reason when it is aborted
 */
export async function* itemsOf<Data>(
  pages: AsyncIterable<Answer<Data>>,
  signal?: AbortSignal,
): AsyncGenerator<ItemOf<Data>, void, undefined> {
  const seen = new Set<string>();
  for await (const { data } of pages) {
    if (data === null) return;
    for (const item of asPage(data).items) {
      const cid = cidOf(item);
      if (cid !== undefined) {
        if (seen.has(cid)) continue;
        seen.add(cid);
      }
      signal?.throwIfAborted();
      yield item as ItemOf<Data>;
    }
  }
}

function asPage(data: unknown): Page {
  const page = data as Partial<Page>;
  if (Array.isArray(page.items) && typeof page.has_more === "boolean" && page.cursor !== undefined)
    return page as Page;
  throw new ResponseError("not_a_page", "The endpoint's data is no page of items", {
    value: data,
    remedy:
      "Use call() for an endpoint that answers one thing; pages() and items() are for lists with cursors.",
  });
}

function cidOf(item: unknown): string | undefined {
  const cid = typeof item === "object" && item !== null ? (item as { cid?: unknown }).cid : undefined;
  return typeof cid === "string" ? cid : undefined;
}
