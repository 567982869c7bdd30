import { UsageError } from "../../contract/errors.js";
import { INDEX_FILE } from "../../contract/slice/slice-index.js";
import type { TransferOptions } from "../pull/open-source.js";
import { type OpenedClient, openClient } from "../source/open-client.js";
import { listCkan } from "./ckan.js";
import { type DatasetLayout, datasetIdentity, parseDatasetAddress } from "./dataset-address.js";
import { listHuggingFace } from "./hugging-face.js";
import { createReadJson } from "./read-json.js";
import type { DatasetListing } from "./remote-file.js";

/** A dataset on its host, listed. */
export interface OpenDataset extends OpenedClient {
  readonly listing: DatasetListing;
  /** The dataset on its host, whatever the revision. */
  readonly identity: string;
  /** Whether it is a published folder of slices, which {@link pullSlices} takes. */
  readonly hasSlices: boolean;
}

/**
 * Lists a dataset on its host.
 * @throws UsageError `invalid_source`; PullError `source_invalid`, `pull_not_found`, `offline`, …
 */
export async function openDataset(
  source: string,
  layout: DatasetLayout | undefined,
  options: TransferOptions,
  signal: AbortSignal | undefined,
): Promise<OpenDataset> {
  const address = parseDatasetAddress(source, layout);
  if (address === undefined) {
    throw new UsageError("invalid_source", `Not the address of a dataset: ${source.replace(/[?#].*$/, "")}`, {
      value: source.replace(/[?#].*$/, ""),
      remedy: "give one on a Hugging Face hub or a CKAN portal; say which with the layout",
    });
  }
  if (address.layout === "huggingface") {
    const opened = openClient(source, new URL(address.hub).origin, options, signal);
    const listing = await listHuggingFace(address, createReadJson(opened));
    const identity = datasetIdentity(address);
    return { ...opened, listing, identity, hasSlices: listing.files.some(({ path }) => path === INDEX_FILE) };
  }
  // A portal takes its token as it is, without the word Bearer.
  const { key, headers } = options;
  const own = { ...options, key: undefined, headers: key ? { Authorization: key, ...headers } : headers };
  const opened = openClient(source, new URL(address.portal).origin, own, signal);
  const listing = await listCkan(address, createReadJson(opened));
  return { ...opened, listing, identity: datasetIdentity(address), hasSlices: false };
}
