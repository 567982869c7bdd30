import type { z } from "zod";
import { defineEndpoint, type EndpointRow, type EndpointSpec, UNSTATED_RAW_PRICE } from "../endpoint.js";

type Overrides =
  | "price"
  | "capPerSecond"
  | "freeEligible"
  | "maturity"
  | "availability"
  | "label"
  | "example";

/** Declaration of a raw row. The other fields follow from the platform and the resource. */
export type RawRow<Params extends z.ZodObject, Data extends z.ZodType> = Pick<
  EndpointRow<string, Params, Data>,
  "operation" | "summary" | "params" | "data"
> &
  Partial<Pick<EndpointRow<string, Params, Data>, Overrides | "options">>;

/**
 * Builds the row of `GET /v1/raw/{platform}/{resource}` (service.md section 4.2): the id, path and scope follow from the
 * platform and the resource; missing fields have the assumed defaults.
 */
export function rawEndpoint<
  const P extends string,
  const R extends string,
  Params extends z.ZodObject,
  Data extends z.ZodType,
>(
  group: string,
  platform: P,
  resource: R,
  row: RawRow<Params, Data>,
): EndpointSpec<`raw.${P}.${R}`, Params, Data> & { readonly platform: P; readonly resource: R } {
  return defineEndpoint({
    price: UNSTATED_RAW_PRICE,
    ...row,
    id: `raw.${platform}.${resource}`,
    group,
    method: "GET",
    path: `/v1/raw/${platform}/${resource}`,
    platform,
    resource,
    scope: `raw:${platform}`,
  });
}
