import type { JsonObject } from "../../contract/json.js";
import { CATALOGUE, type EndpointId, type EndpointParams } from "../../contract/service/catalogue.js";
import { SAMPLES } from "./sample-items.js";

/** Calls of one endpoint over the sample lake, one for each outcome that it can have. */
export interface SampleCall {
  readonly id: EndpointId;
  /** Answers something. */
  readonly success: JsonObject;
  /** Answers an empty result; absent for an endpoint that never does. */
  readonly empty?: JsonObject;
  /** Refused with `invalid_params`, in a message that names `param`. */
  readonly bad: { readonly params: JsonObject; readonly param: string };
}

/** A language that no sample item is in. */
const NO_LANG = { lang: "tlh" };

/** An instant before every entry of a ledger. */
const LONG_AGO = { to: "2001-01-01" };

/** A window in which nothing came to be. */
const ANOTHER_AGE = { unit: "day", from: "2001-01-01", to: "2001-01-31" } as const;

/** Empty calls that do not follow from the row. */
const EMPTY: { readonly [Id in EndpointId]?: EndpointParams<Id> } = {
  search: { query: "mouse", platforms: ["no-such-platform"] },
  "datasets.slices": { platform: "no-such-platform" },
  "datasets.platforms": { platform: "no-such-platform" },
  "raw.microblog.trend": ANOTHER_AGE,
  "raw.global-news.trend": ANOTHER_AGE,
  "account.usage": LONG_AGO,
  "account.ledger": LONG_AGO,
  "account.keys.revoke": { key_id: "key_00000000" },
};

/** Successful calls that differ from the row's example. */
const SUCCESS: { readonly [Id in EndpointId]?: EndpointParams<Id> } = {
  search: { query: SAMPLES.query, freshness: "90d" },
  "account.usage": {},
  "account.ledger": {},
};

/** One call of each outcome for every shipped endpoint; for their success `account.keys` needs
 * a stored key, and `account.keys.revoke` the id of one. */
export const SAMPLE_CALLS: readonly SampleCall[] = CATALOGUE.map((row) => {
  const id = row.id as EndpointId;
  const success = (SUCCESS[id] ?? row.example ?? {}) as JsonObject;
  const empty = (EMPTY[id] ?? missing(row.params.shape, success)) as JsonObject | undefined;
  return { id, success, empty, bad: badOf(row.params.shape, success) };
});

/** The successful call with an id that nothing has, or in a language that nothing is in. */
function missing(shape: Readonly<Record<string, unknown>>, success: JsonObject): JsonObject | undefined {
  const own = Object.keys(success).find((name) => name.endsWith("_id"));
  if (own !== undefined) return { ...success, [own]: "999999999999999" };
  return "lang" in shape ? { ...success, ...NO_LANG } : undefined;
}

/** A page before the first, else a missing id, else a parameter that no endpoint has. */
function badOf(shape: Readonly<Record<string, unknown>>, success: JsonObject): SampleCall["bad"] {
  if ("cursor" in shape) return { params: { ...success, cursor: -1 }, param: "cursor" };
  const own = Object.keys(success).find((name) => name.endsWith("_id"));
  if (own === undefined)
    return { params: { ...success, no_such_parameter: "1" }, param: "no_such_parameter" };
  const { [own]: _, ...rest } = success;
  return { params: rest, param: own };
}
