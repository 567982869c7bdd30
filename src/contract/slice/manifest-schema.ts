import { z } from "zod";
import type { JsonObject } from "../json.js";
import { SliceManifest } from "./slice-manifest.js";

/** Location of the schema in the package: `mirrorlake/slice-manifest.schema.json`. */
export const MANIFEST_SCHEMA_FILE = "src/contract/slice/slice-manifest.schema.json";

/**
 * JSON Schema (2020-12) of a slice's manifest, `datapackage.json`: the rules of the Frictionless Data Package standard v2 and
 * Mirrorlake's additions. Manifests are checked against the same rules when written and read.
 */
export function sliceManifestSchema(): JsonObject {
  const { $schema, ...schema } = z.toJSONSchema(SliceManifest, { io: "input" }) as JsonObject;
  return {
    $schema: $schema!,
    title: "Manifest of a Mirrorlake slice",
    description:
      "A Frictionless Data Package v2 descriptor (https://datapackage.org/standard/data-package/) with a member mirrorlake.",
    ...schema,
  };
}
