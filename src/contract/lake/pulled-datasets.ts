import { z } from "zod";
import { SliceManifest } from "../slice/slice-manifest.js";

/** Version of the file that this library writes, and the newest that it reads. */
export const PULLED_FORMAT_VERSION = 1;

/** What the last pull of a dataset brought, read by one adapter. */
export const PulledDataset = z.object({
  /** The dataset on its host, whatever the revision. */
  source: z.string().min(1),
  /** Name of the adapter: another one reads something else of the same dataset. */
  adapter: z.string(),
  /** Commit that was pulled; null where the host has none. */
  revision: z.string().nullable(),
  /** Manifests of its slices, as they were installed. */
  slices: z.array(SliceManifest),
});
export type PulledDataset = Readonly<z.infer<typeof PulledDataset>>;

/** `datasets.json` of a lake: what the next pull of each dataset takes the place of. It holds no keys. */
export const PulledDatasets = z.object({
  formatVersion: z.literal(PULLED_FORMAT_VERSION),
  datasets: z.array(PulledDataset),
});
export type PulledDatasets = Readonly<z.infer<typeof PulledDatasets>>;
