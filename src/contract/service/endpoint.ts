import type { z } from "zod";
import { UsageError } from "../errors.js";
import type { JsonObject } from "../json.js";
import { formatUsd, type MicroUsd, parseUsd } from "../money.js";
import { shown } from "../shown-value.js";
import type { Label } from "./label.js";
import { LIMITS } from "./limits.js";

/** Methods that exist under `/v1` (service.md section 1). */
export type Method = "GET" | "POST";

/**
 * One row of the catalogue: the only source of an endpoint's routing, validation, billing, limits, documentation and typed
 * client. Source: decisions.md, "Catalogue".
 */
export interface EndpointSpec<
  Id extends string = string,
  Params extends z.ZodObject = z.ZodObject,
  Data extends z.ZodType = z.ZodType,
> {
  /** Unique dotted name: `search`, `raw.short-video.comments`. */
  readonly id: Id;
  /** Group of service.md section 1. */
  readonly group: string;
  readonly method: Method;
  /** Literal path, `/v1` included: `/v1/raw/short-video/comments`. */
  readonly path: string;
  /** Platform slug of a raw endpoint. */
  readonly platform?: string;
  /** Resource name of a raw endpoint, as in the path. */
  readonly resource?: string;
  /** Name of its handler. */
  readonly operation: string;
  /** Options of a generic handler. */
  readonly options: JsonObject;
  /** Required scope of the key: `search`, `raw:<platform>`, `datasets`, `account`. */
  readonly scope: string;
  /** Price of a charged call. */
  readonly price: MicroUsd;
  /** Cap in calls per second, over all accounts. */
  readonly capPerSecond: number;
  /** Whether the monthly free quota may cover a call. */
  readonly freeEligible: boolean;
  /** Maturity: `beta` (service.md section 9). */
  readonly maturity: string;
  /** Availability in the remote service: `live`, `coming_soon` (service.md sections 4.1, 4.2.1, 9). */
  readonly availability: string;
  /** Origin of the row: specified by service.md, assumed by Mirrorlake, or observed in a recording or imported document. */
  readonly label: Label;
  readonly summary: string;
  /** Strict schema of the parameters, for values rather than URL text. */
  readonly params: Params;
  /** Schema of the envelope's `data`. */
  readonly data: Data;
  /** Parameters of a typical call, for the documentation. */
  readonly example?: JsonObject;
}

/** Declaration of a row: the price as a decimal; fields with assumed defaults are optional. */
export interface EndpointRow<Id extends string, Params extends z.ZodObject, Data extends z.ZodType>
  extends Pick<
      EndpointSpec<Id, Params, Data>,
      "id" | "group" | "method" | "path" | "operation" | "scope" | "summary" | "data"
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
  /** Strict schema of the parameters, for values rather than URL text; or a function that makes it when it is first needed. */
  readonly params: Params | (() => Params);
}

/** Default cap in calls per second, for endpoints without one in service.md (decisions.md, "Money and quota"). */
export const UNSTATED_CAP_PER_SECOND = LIMITS.defaultCapPerSecond.value;

/** Default price of a raw call, for endpoints without one in service.md (decisions.md, "Money and quota"). */
export const UNSTATED_RAW_PRICE = formatUsd(LIMITS.defaultRawPrice.value);

/**
 * Builds a catalogue row. Missing fields get the assumptions of decisions.md: 20 calls per second, not free-eligible, beta, live,
 * label `assumed`.
 * @throws UsageError `invalid_argument` if the row is no object or lacks a text, a schema or its price; `invalid_amount`
 */
export function defineEndpoint<
  const Id extends string,
  Params extends z.ZodObject,
  Data extends z.ZodType,
  const Rest extends { readonly platform?: string; readonly resource?: string },
>(
  row: EndpointRow<Id, Params, Data> & Rest,
): EndpointSpec<Id, Params, Data> & Pick<Rest, "platform" | "resource"> {
  checkRow(row);
  const { params } = row;
  const spec = {
    options: {},
    capPerSecond: UNSTATED_CAP_PER_SECOND,
    freeEligible: false,
    maturity: "beta",
    availability: "live",
    label: "assumed",
    ...row,
    price: parseUsd(row.price),
  };
  if (typeof params !== "function") return { ...spec, params };
  let made: Params | undefined;
  return Object.defineProperty(spec, "params", {
    get: () => {
      made ??= params();
      return made;
    },
  }) as typeof spec & { readonly params: Params };
}

const TEXTS = ["id", "group", "method", "path", "operation", "scope", "summary", "price"] as const;

/** By hand, because the shipped rows are built when the package is imported. */
function checkRow(row: Readonly<Record<string, unknown>> | undefined): void {
  if (typeof row !== "object" || row === null)
    refuse("row", row, "an object: id, group, method, path, operation, scope, summary, price, params, data");
  for (const name of TEXTS) if (typeof row[name] !== "string") refuse(`row.${name}`, row[name], "a string");
  for (const name of ["params", "data"]) {
    if (name === "params" && typeof row[name] === "function") continue;
    const schema = row[name] as { readonly safeParse?: unknown } | undefined;
    if (typeof schema?.safeParse !== "function") refuse(`row.${name}`, schema, "a schema of zod 4");
  }
}

function refuse(name: string, value: unknown, rule: string): never {
  const is = value === undefined ? "missing" : shown(value);
  throw new UsageError("invalid_argument", `defineEndpoint: ${name} is ${is}, it must be ${rule}`, {
    value,
    remedy: `correct ${name}: it must be ${rule}`,
  });
}

/**
 * The base URL of a service: everything before `/v1` (service.md section 1), without trailing slashes. A trailing `/v1` is taken off: some
 * clients of other services want it in their base URL, and no path of the service begins with it twice.
 * @returns undefined for what is no http(s) URL, or has a query, a fragment or credentials
 */
export function serviceBaseUrl(given: string | URL): string | undefined {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") return undefined;
  return url.href.replace(/\/+$/, "").replace(/\/+v1$/, "");
}
