import { MappingError, PullError } from "../../contract/errors.js";
import type { Adapter } from "../../ingest/adapters/adapter.js";
import { loadAdapter } from "../../ingest/adapters/load-adapter.js";
import { MAPPING_FILE } from "../../ingest/adapters/mapping-file.js";
import { compileMapping } from "../../ingest/mapping/compile.js";
import { DATASET_DEFAULTS } from "../dataset/defaults.js";
import type { OpenDataset } from "../dataset/open-dataset.js";
import { readDocument } from "../source/read-document.js";

/**
 * The adapter that was given, or the mapping that lies beside the data.
 * @throws PullError `mapping_missing`; MappingError; what reading the mapping throws
 */
export async function datasetAdapter(
  { client, policy, listing, hasSlices }: OpenDataset,
  adapter: Adapter | string | undefined,
): Promise<Adapter> {
  if (adapter !== undefined) return typeof adapter === "string" ? await loadAdapter(adapter) : adapter;
  const file = listing.files.find(({ path }) => path === MAPPING_FILE);
  if (file === undefined) {
    throw new PullError(
      "mapping_missing",
      hasSlices
        ? `${listing.name} holds slices, which need no mapping`
        : `${listing.name} has ${listing.files.length} files and no ${MAPPING_FILE} that says what they mean`,
      {
        value: listing.files.slice(0, 20).map(({ path }) => path),
        remedy: hasSlices
          ? "use pullSlices"
          : "write a mapping (`mirrorlake ingest --guess` makes one to start from) and name it: --adapter my-mapping.json",
      },
    );
  }
  const { bytes } = await readDocument(client, file.url, DATASET_DEFAULTS.maxMappingBytes, policy);
  let document: unknown;
  try {
    document = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (cause) {
    throw new MappingError(
      "unreadable_mapping",
      `${MAPPING_FILE} of ${listing.name}: ${(cause as Error).message}`,
      {
        value: MAPPING_FILE,
        remedy: "inform its publisher, or name a mapping of your own: --adapter my-mapping.json",
        cause,
      },
    );
  }
  return compileMapping(document);
}
