import type { JsonObject } from "../../json.js";
import type { Operation } from "../operations.js";

const USD = { type: "string", pattern: "^-?[0-9]+\\.[0-9]{6}$" };
const WHOLE = { type: "integer", minimum: 0 };
const TEXT = { type: "string" };

/** Header Objects of everything that answers and errors of the service carry over a network, by name. */
const HEADERS = {
  "X-Request-Id": sent(
    "The `request_id` of the envelope. A request may name it in a header X-Request-Id of its own: sent again with it, it is charged once.",
    { type: "string", format: "uuid" },
    true,
  ),
  "X-RateLimit-Limit": sent("Calls that the account may make in a minute.", WHOLE),
  "X-RateLimit-Remaining": sent("Calls that are left of them.", WHOLE),
  "X-Service-Charged": sent("As `meta.charged_usd`.", USD, true),
  "X-Service-Balance": sent("As `meta.balance_usd`.", USD, true),
  "X-Mirrorlake-Embedder": sent("The embedding model that ranked.", TEXT),
  "X-Mirrorlake-Search-Mode": sent("The kind of ranking.", {
    type: "string",
    enum: ["hybrid", "keyword", "semantic"],
  }),
  "X-Mirrorlake-Hint": sent(
    "What an unknown platform, resource, domain, language or id was probably meant to be.",
    TEXT,
  ),
  "X-Mirrorlake-Note": sent("What a caller should know of the answer.", TEXT),
  "X-Mirrorlake-Unknown": sent("The numbers that are 0 because the source has none, with commas.", TEXT),
  "Retry-After": sent("Seconds to wait before another call.", WHOLE),
  Allow: sent("The methods that the path takes, with commas.", TEXT, true),
} satisfies Readonly<Record<string, JsonObject>>;

/** A header that the service sends. */
type HeaderName = keyof typeof HEADERS;

/** The Header Objects for the components of a document. */
export const RESPONSE_HEADERS: Readonly<Record<string, JsonObject>> = HEADERS;

const OF_ANSWERS: readonly HeaderName[] = [
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-Service-Charged",
  "X-Service-Balance",
];

/** Headers that an operation adds to its answers (decisions.md, "Vectors"). */
const OF_OPERATIONS: Readonly<Record<Operation, readonly HeaderName[]>> = {
  search: ["X-Mirrorlake-Embedder", "X-Mirrorlake-Search-Mode", "X-Mirrorlake-Hint", "X-Mirrorlake-Note"],
  "raw-video": ["X-Mirrorlake-Unknown"],
  "raw-comments": ["X-Mirrorlake-Unknown"],
  slices: ["X-Mirrorlake-Hint"],
  directory: ["X-Mirrorlake-Hint"],
  detail: ["X-Mirrorlake-Hint", "X-Mirrorlake-Unknown"],
  list: ["X-Mirrorlake-Hint", "X-Mirrorlake-Unknown"],
  records: ["X-Mirrorlake-Unknown", "X-Mirrorlake-Note"],
  ranking: ["X-Mirrorlake-Unknown"],
  trend: [],
  "price-path": ["X-Mirrorlake-Hint"],
  creator: [],
  "creator-graph": [],
  "account-show": [],
  "account-usage": [],
  "account-ledger": [],
  "account-top-up": [],
  "account-keys": [],
  "account-create-key": [],
  "account-revoke-key": [],
  unmapped: ["X-Mirrorlake-Note"],
};

/** The headers of an operation's answers (status 200), as references into the components of a document. */
export function answerHeaders(operation: string): JsonObject {
  const own = Object.hasOwn(OF_OPERATIONS, operation) ? OF_OPERATIONS[operation as Operation] : [];
  return refer([...OF_ANSWERS, ...own]);
}

/**
 * The headers of an error, as references into the components of a document. The account's rate is told where it was asked, which an error
 * of a check before does not.
 */
export function errorHeaders(status: number): JsonObject {
  if (status === 405) return refer(["X-Request-Id", "Allow"]);
  if (status === 500) return refer(["X-Request-Id"]);
  const own: readonly HeaderName[] =
    status === 400 || status === 404
      ? ["X-Mirrorlake-Hint"]
      : status === 429 || status === 503
        ? ["Retry-After"]
        : [];
  return refer(["X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", ...own]);
}

function refer(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function sent(description: string, schema: JsonObject, required = false): JsonObject {
  return { description, required, schema };
}
