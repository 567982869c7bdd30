import type { z } from "zod";
import type { JsonObject } from "../json.js";
import { formatUsd, type MicroUsd, parseUsd } from "../money.js";
import type { Label } from "./label.js";
import { LIMITS } from "./limits.js";

/** Methods that exist under `/v1` (service.md section 1). */
export type Method = "GET" | "POST";

/**
 * One row of the catalogue: all that routing, validation, billing, limits, documentation and the typed client know
 * of an endpoint. Source: decisions.md, "Catalogue".
 */
export interface EndpointSpec<
  Id extends string = string,
  Params extends z.ZodObject = z.ZodObject,
  Data extends z.ZodType = z.ZodType,
> {
  /** Unique dotted name: `search`, `raw.short-video.comments`. */
  readonly id: Id;
  /** The group of service.md section 1 that it belongs to. */
  readonly group: string;
  readonly method: Method;
  /** Literal path, `/v1` included: `/v1/raw/short-video/comments`. */
  readonly path: string;
  /** Platform slug of a raw endpoint. */
  readonly platform?: string;
  /** Resource name of a raw endpoint, as it stands in the path. */
  readonly resource?: string;
  /** Name of the handler that answers it. */
  readonly operation: string;
  /** What a generic handler needs to know of this row. */
  readonly options: JsonObject;
  /** Scope that a key needs: `search`, `raw:<platform>`, `datasets`, `account`. */
  readonly scope: string;
  /** Price of a charged call. */
  readonly price: MicroUsd;
  /** Calls per second that the endpoint takes from all accounts together. */
  readonly capPerSecond: number;
  /** Whether the monthly free quota may cover a call. */
  readonly freeEligible: boolean;
  /** How ready it is: `beta` (service.md section 9). */
  readonly maturity: string;
  /** Whether the remote service answers it already: `live`, `coming_soon` (service.md sections 4.1, 4.2.1, 9). */
  readonly availability: string;
  /** Whether service.md specifies the row, Mirrorlake assumes it, or a recording or imported document shows it. */
  readonly label: Label;
  readonly summary: string;
  /** Strict schema of the parameters; takes values, not URL text. */
  readonly params: Params;
  /** Schema of the envelope's `data`. */
  readonly data: Data;
  /** Parameters of a typical call, for the documentation. */
  readonly example?: JsonObject;
}

/** What a row's author writes: the price as a decimal, the unstated with the assumed defaults left out. */
export interface EndpointRow<Id extends string, Params extends z.ZodObject, Data extends z.ZodType>
  extends Pick<
      EndpointSpec<Id, Params, Data>,
      "id" | "group" | "method" | "path" | "operation" | "scope" | "summary" | "params" | "data"
    >,
    Partial<
      Pick<
        EndpointSpec,
        | "platform"
        | "resource"
        | "options"
        | "capPerSecond"
        | "freeEligible"
        | "maturity"
        | "availability"
        | "label"
        | "example"
      >
    > {
  /** Decimal USD with six places: `"0.001500"`. */
  readonly price: string;
}

/** Calls per second where service.md states no cap (decisions.md, "Money and quota"). */
export const UNSTATED_CAP_PER_SECOND = LIMITS.defaultCapPerSecond.value;

/** Price of a raw call where service.md states none (decisions.md, "Money and quota"). */
export const UNSTATED_RAW_PRICE = formatUsd(LIMITS.defaultRawPrice.value);

/**
 * Builds a catalogue row, filling what service.md leaves unstated with the assumptions of decisions.md: 20 calls a
 * second, not free-eligible, beta, live, label `assumed`.
 */
export function defineEndpoint<
  const Id extends string,
  Params extends z.ZodObject,
  Data extends z.ZodType,
  const Rest extends { readonly platform?: string; readonly resource?: string },
>(
  row: EndpointRow<Id, Params, Data> & Rest,
): EndpointSpec<Id, Params, Data> & Pick<Rest, "platform" | "resource"> {
  return {
    options: {},
    capPerSecond: UNSTATED_CAP_PER_SECOND,
    freeEligible: false,
    maturity: "beta",
    availability: "live",
    label: "assumed",
    ...row,
    price: parseUsd(row.price),
  };
}
