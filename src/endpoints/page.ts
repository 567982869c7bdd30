import type { RawItem } from "../contract/slice/slice-item.js";
import type { HandlerContext, HandlerResult } from "./handler.js";
import { pageProvenance } from "./page-provenance.js";

/** What a page is made of. */
export interface PageParts {
  /** Items as they are answered. */
  readonly items: readonly unknown[];
  /** Where they came from: capture instants and source. */
  readonly origins: readonly Pick<RawItem, "captured_at" | "data">[];
  /** The item that they hang on, where the corpus holds it. */
  readonly parent?: RawItem | undefined;
  readonly offset: number;
  readonly total: number;
}

/**
 * A page in the shape of the comments page (service.md section 2.5). `cursor` is the offset of the next page; a page without
 * items keeps its shape and is empty (decisions.md, "Empty or missing").
 */
export function pageResult(
  { items, origins, parent, offset, total }: PageParts,
  context: Pick<HandlerContext, "asOfMs" | "endpoint">,
): HandlerResult {
  const cursor = offset + items.length;
  const data = {
    items,
    cursor,
    has_more: items.length > 0 && cursor < total,
    total,
    prov: pageProvenance(origins, items, context, parent),
  };
  return { data, empty: items.length === 0 };
}
