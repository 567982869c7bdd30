import { ResponseError } from "../contract/errors.js";
import type { EndpointData, EndpointId } from "../contract/service/catalogue.js";
import type { Answer } from "./answer.js";
import { CLIENT_DEFAULTS } from "./defaults.js";

/** A page of a list, as the comments page of service.md section 2.5; the other lists are assumed to have the same shape. */
export interface Page<Item = unknown> {
  readonly items: readonly Item[];
  readonly cursor: number | string;
  readonly has_more: boolean;
}

/** Item type of a page; `never` for data that is not a page, `unknown` for unknown data. */
export type ItemOf<Data> = unknown extends Data ? unknown : Data extends Page<infer Item> ? Item : never;

/** Ids of shipped endpoints whose `data` is a page. */
type ListId = {
  [Id in EndpointId]: NonNullable<EndpointData<Id>> extends Page ? Id : never;
}[EndpointId];

/** What the id of an endpoint lacks whose `data` is no page of items: `call` gets all of it. */
export interface NoPages {
  readonly "is no list with a cursor: use call()": never;
}

/** What an id has to be, to be read page by page: of an endpoint that is not in the shipped catalogue, any. */
export type HasPages<Id extends string> = Id extends Exclude<EndpointId, ListId> ? NoPages : unknown;

/** Requests the page at a cursor; the first page has none. */
type PageAt<Data> = (at: { readonly cursor?: number | string }) => Promise<Answer<Data>>;

/**
 * Iterates over the pages of a list by its cursors. The first call uses the caller's cursor, if any. An abort stops it
 * before the next page.
 * @throws ResponseError `not_a_page` for data without items or a cursor that is no number and no text, `cursor_stuck` for a
 * repeated cursor or after ten pages in a row without items
 * @throws the signal's reason if aborted
 */
export async function* pagesOf<Data>(
  pageAt: PageAt<Data>,
  signal?: AbortSignal,
): AsyncGenerator<Answer<Data>, void, undefined> {
  const cursors = new Set<number | string>();
  let emptyPages = 0;
  let at: { readonly cursor?: number | string } = {};
  for (;;) {
    signal?.throwIfAborted();
    const answer = await pageAt(at);
    yield answer;
    if (answer.data === null) return;
    const { cursor, has_more, items } = asPage(answer.data);
    if (!has_more) return;
    emptyPages = items.length === 0 ? emptyPages + 1 : 0;
    assertNews(emptyPages, cursor);
    if (cursors.has(cursor)) {
      throw new ResponseError(
        "cursor_stuck",
        `The list's cursor ${cursor} leads back to a page already read`,
        {
          value: cursor,
          remedy: "Use the items received so far; the list changed or the service is at fault.",
        },
      );
    }
    cursors.add(cursor);
    at = { cursor };
  }
}

/**
 * Iterates over the items of pages, without repeated `cid`s: pages may overlap (service.md section 4.2.2). An abort
 * stops it immediately, even within a page.
 * @throws ResponseError `cursor_stuck` after ten pages in a row without an item that is new
 * @throws the signal's reason if aborted
 */
export async function* itemsOf<Data>(
  pages: AsyncIterable<Answer<Data>>,
  signal?: AbortSignal,
): AsyncGenerator<ItemOf<Data>, void, undefined> {
  const cids = new Set<string>();
  let stalePages = 0;
  for await (const { data } of pages) {
    if (data === null) return;
    const { items, cursor, has_more } = asPage(data);
    const known = (item: unknown) => {
      const cid = cidOf(item);
      return cid !== undefined && cids.has(cid);
    };
    stalePages = items.every(known) ? stalePages + 1 : 0;
    if (has_more) assertNews(stalePages, cursor);
    for (const item of items) {
      const cid = cidOf(item);
      if (cid !== undefined) {
        if (cids.has(cid)) continue;
        cids.add(cid);
      }
      signal?.throwIfAborted();
      yield item as ItemOf<Data>;
    }
  }
}

/** Asserts that a list does not go on without bringing anything: each of its pages is a call. */
function assertNews(pagesWithout: number, cursor: number | string): void {
  if (pagesWithout < CLIENT_DEFAULTS.emptyPages) return;
  throw new ResponseError("cursor_stuck", `The list brought nothing new in ${pagesWithout} pages in a row`, {
    value: cursor,
    remedy: "Use the items received so far; the service is at fault.",
  });
}

function asPage(data: unknown): Page {
  const page = data as Partial<Page>;
  const isCursor = typeof page.cursor === "number" || typeof page.cursor === "string";
  if (Array.isArray(page.items) && typeof page.has_more === "boolean" && (isCursor || !page.has_more))
    return page as Page;
  throw new ResponseError("not_a_page", "The endpoint's data is not a page of items", {
    value: data,
    remedy:
      "Use call() for an endpoint with a single result; pages() and items() are for lists with cursors.",
  });
}

function cidOf(item: unknown): string | undefined {
  const cid = typeof item === "object" && item !== null ? (item as { cid?: unknown }).cid : undefined;
  return typeof cid === "string" ? cid : undefined;
}
