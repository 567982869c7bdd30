import { hash } from "node:crypto";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import type { Provenance } from "../contract/service/unified-record.js";
import { canonicalJson } from "../contract/slice/canonical-json.js";
import type { RawItem } from "../contract/slice/slice-item.js";
import type { HandlerContext } from "./handler.js";

/**
 * Returns the provenance of a page of raw items: the SHA-256 of the canonical JSON of the shown items, the newest capture
 * among the items (as-of for none), and the source of the parent item, of the first item, or of the path. service.md
 * section 2.5 shows the fields only; the derivation is assumed.
 */
export function pageProvenance(
  items: readonly Pick<RawItem, "captured_at" | "data">[],
  shown: readonly unknown[],
  context: Pick<HandlerContext, "asOfMs" | "endpoint">,
  parent?: RawItem,
): Provenance & { readonly source: string } {
  const { endpoint, asOfMs } = context;
  return {
    hash: `0x${hash("sha256", canonicalJson(shown), "hex")}`,
    ts: newestCapture(items) ?? new Date(asOfMs).toISOString(),
    source: sourceOf(parent) ?? sourceOf(items[0]) ?? pathSource(endpoint),
  };
}

/** Returns the default source: platform and resource of the path. */
export function pathSource(endpoint: EndpointSpec): string {
  return endpoint.platform === undefined ? endpoint.id : `${endpoint.platform}/${endpoint.resource}`;
}

function newestCapture(items: readonly Pick<RawItem, "captured_at">[]): string | undefined {
  let newest: string | undefined;
  for (const { captured_at: at } of items) {
    if (newest === undefined || Date.parse(at) > Date.parse(newest)) newest = at;
  }
  return newest;
}

function sourceOf(item: Pick<RawItem, "data"> | undefined): string | undefined {
  const prov = item?.data.prov;
  if (typeof prov !== "object" || prov === null || !("source" in prov)) return undefined;
  return typeof prov.source === "string" ? prov.source : undefined;
}
