import type { EndpointSpec } from "../endpoint.js";

/** The endpoints of a service: fixed ones, or those of the moment, which are one array as long as they stay. */
export type CatalogueSource = readonly EndpointSpec[] | (() => readonly EndpointSpec[]);

/** The endpoints of the moment. */
export function currentCatalogue(source: CatalogueSource): readonly EndpointSpec[] {
  return typeof source === "function" ? source() : source;
}

/** What is made of the endpoints; made again only when there are others. */
export function madeOfCatalogue<T>(
  source: CatalogueSource,
  make: (catalogue: readonly EndpointSpec[]) => T,
): () => T {
  let of: readonly EndpointSpec[] | undefined;
  let made: T;
  return () => {
    const catalogue = currentCatalogue(source);
    if (catalogue !== of) {
      made = make(catalogue);
      of = catalogue;
    }
    return made;
  };
}
