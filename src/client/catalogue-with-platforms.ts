import type { CatalogueSource } from "../contract/service/catalogue/catalogue-source.js";
import { withOwnPlatforms } from "../contract/service/catalogue/own-platform-rows.js";
import type { LakeCatalogue } from "../lake/lake-catalogue.js";
import type { LakeHandle } from "../lake/lake-handle.js";

/** A catalogue with the rows of the platforms that are not shipped and that the lake's generation of the moment brings. */
export function catalogueWithPlatforms({ rows, removed }: LakeCatalogue, lake: LakeHandle): CatalogueSource {
  const made = () => withOwnPlatforms(rows, lake.corpus.platforms(), removed);
  let [generation, all] = [lake.generation, made()];
  return () => {
    if (generation !== lake.generation) [generation, all] = [lake.generation, made()];
    return all;
  };
}
