import type { RawItem } from "../contract/slice/slice-item.js";
import type { HandlerContext, HandlerResult } from "./handler.js";
import { pageProvenance } from "./page-provenance.js";
import { withKnownNumbers } from "./unknown-numbers.js";

/** Content of a page. */
export interface PageParts {
  /** Items of the answer. */
  readonly items: readonly unknown[];
  /** Origins of the items: capture instants and sources. */
  readonly origins: readonly Pick<RawItem, "captured_at" | "data">[];
  /** The parent of the items, if the corpus has it. */
  readonly parent?: RawItem | undefined;
  readonly offset: number;
  readonly total: number;
}

/**
 * Builds a page in the shape of the comments page (service.md section 2.5). `cursor` is the offset of the next page. A
 * page without items keeps its shape and is empty (decisions.md, "Empty or missing").
 */
export function pageResult(
  { items: stored, origins, parent, offset, total }: PageParts,
  context: Pick<HandlerContext, "asOfMs" | "endpoint">,
): HandlerResult {
  const { items, headers } = withKnownNumbers(stored);
  const cursor = offset + items.length;
  const data = {
    items,
    cursor,
    has_more: items.length > 0 && cursor < total,
    total,
    prov: pageProvenance(origins, items, context, parent),
  };
  return { data, empty: items.length === 0, headers };
}
