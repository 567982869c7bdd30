import * as drift from "../compare/drift.js";
import { CATALOGUE } from "../contract/service/catalogue.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";

/**
 * Asks the requests of a cassette again, each once, and compares the answers with the recorded ones: what changed, and what the
 * recording says about assumptions, which it turns into observations. The calls are charged by what answers them. Where the key is refused
 * from the first answer on, nothing more is asked.
 * @param catalogue rows that name endpoints and what is assumed of them; the shipped ones by default
 * @throws CassetteError `cassette_unreadable`; ApiError `invalid_api_key`; the error of `fetch`; the signal's reason
 */
export function driftReport(
  options: drift.DriftOptions,
  catalogue: readonly EndpointSpec[] = CATALOGUE,
): Promise<drift.DriftReport> {
  return drift.driftReport(options, catalogue);
}
