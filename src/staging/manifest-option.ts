import { z } from "zod";
import { SliceManifest } from "../contract/slice/slice-manifest.js";

/** Schema of an option that takes the manifest of a slice. */
export const ManifestOption = z.custom<SliceManifest>(
  (value) => SliceManifest.safeParse(value).success,
  "must be the manifest of a slice",
);
