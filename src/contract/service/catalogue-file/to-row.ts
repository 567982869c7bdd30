import type { JsonObject } from "../../json.js";
import { formatUsd } from "../../money.js";
import type { EndpointSpec } from "../endpoint.js";
import { JsonSchemas } from "../openapi/json-schema.js";
import type { Operation } from "../operations.js";
import type { CatalogueFileRow } from "./catalogue-file.js";

/** Converts a catalogue row to a complete row of a catalogue file, as `catalogue list --json` prints it. */
export function toFileRow(endpoint: EndpointSpec): CatalogueFileRow {
  const { capPerSecond, freeEligible, price, params, data, operation, ...same } = endpoint;
  return {
    ...same,
    operation: operation as Operation,
    price_usd: formatUsd(price),
    cap_per_second: capPerSecond,
    free_eligible: freeEligible,
    params: schemaOf({ params, data }, "params"),
    data: schemaOf({ params, data }, "data"),
  };
}

/** The parameters or the data of a row as a self-contained JSON Schema. */
export function schemaOf(row: Pick<EndpointSpec, "params" | "data">, of: "params" | "data"): JsonObject {
  const schemas = new JsonSchemas({}, "#/$defs/");
  const converted = schemas.convert(row[of], of === "params" ? "input" : "output");
  const $defs = schemas.definitions;
  return Object.keys($defs).length === 0 ? converted : { ...converted, $defs };
}
