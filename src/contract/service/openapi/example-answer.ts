import type { Json, JsonObject } from "../../json.js";
import { formatUsd } from "../../money.js";
import { ownMember } from "../../own-member.js";
import type { EndpointSpec } from "../endpoint.js";
import {
  EXAMPLE_ANSWERS,
  EXAMPLE_DIRECTORY_ENTRY,
  EXAMPLE_ITEMS,
  EXAMPLE_MANIFEST,
  exampleRawRecord,
  exampleRecord,
  exampleVideo,
  PROV,
} from "./example-data.js";

/** A request id for examples. */
export const EXAMPLE_REQUEST_ID = "5f0c6d1e-2b1a-4c63-9b5e-0d6f3a7c8e21";

/**
 * An invented answer of an endpoint, with its envelope. Undefined for a row with its own data shape (an imported one), because the
 * example would not match its schema.
 */
export function exampleAnswer(endpoint: EndpointSpec): JsonObject | undefined {
  const data = exampleOf(endpoint);
  if (data === undefined || !endpoint.data.safeParse(data, { jitless: true }).success) return undefined;
  const billed = endpoint.price > 0n;
  return {
    request_id: EXAMPLE_REQUEST_ID,
    data: data as Json,
    meta: {
      billed,
      charged_usd: formatUsd(endpoint.price),
      used_free_quota: false,
      free_quota_remaining: 0,
      balance_usd: formatUsd(99_990_000n),
      empty: false,
    },
  };
}

function exampleOf({ operation, options, platform = "short-video" }: EndpointSpec): unknown {
  const resource = String(options.resource);
  const thing = exampleRawRecord(platform, "1");
  switch (operation) {
    case "search":
      return [exampleRecord("global-marketplace", "sku-1")];
    case "raw-video":
      return exampleVideo();
    case "raw-comments":
      return page(EXAMPLE_ITEMS.comment);
    case "detail":
      return thing;
    case "list":
      return page(ownMember(EXAMPLE_ITEMS, resource) ?? thing);
    case "records":
      return page(thing);
    case "ranking":
      return page({ rank: 1, value: 5120, item: ownMember(EXAMPLE_ITEMS, resource) ?? thing });
    case "slices": {
      const { prov: _, ...manifests } = page(EXAMPLE_MANIFEST);
      return manifests;
    }
    case "directory":
      return [EXAMPLE_DIRECTORY_ENTRY];
    case "account-keys":
      return [EXAMPLE_ANSWERS["account-revoke-key"]];
    default:
      return EXAMPLE_ANSWERS[operation];
  }
}

function page(item: unknown) {
  return { items: [item], cursor: 1, has_more: true, total: 57, prov: PROV };
}
