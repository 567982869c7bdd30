import { compareValues, shortText } from "./compare-values.js";
import { type Difference, OWN_MEMBERS, type Tolerances } from "./difference.js";

/** An answer to compare. */
export interface ComparedAnswer {
  readonly status: number;
  /** The parsed body, or its text. */
  readonly body: unknown;
  /** Time to the answer, ms. */
  readonly ms: number;
}

/**
 * Compares two answers to one request: status and error code, price, structure, values, order, and where asked for time. What is a
 * call's own (request id, balance, what the free quota covered) is not compared; the price is `charged_usd` of what both charged.
 */
export function compareAnswers(
  local: ComparedAnswer,
  remote: ComparedAnswer,
  tolerances: Tolerances = {},
): Difference[] {
  const differences: Difference[] = [];
  const seen = new Set<string>();
  const add = (kind: Difference["kind"], path: string, own: unknown, other: unknown) => {
    if (seen.has(`${kind} ${path}`)) return;
    seen.add(`${kind} ${path}`);
    differences.push({ kind, path, local: shortText(own), remote: shortText(other) });
  };
  if (local.status !== remote.status || local.status !== 200) compareErrors(local, remote, add);
  else {
    comparePrices(local.body, remote.body, add);
    const ignore = [...OWN_MEMBERS, "meta.charged_usd", ...(tolerances.ignore ?? [])];
    compareValues(local.body, remote.body, "", { ...tolerances, ignore }, add);
  }
  const { slower } = tolerances;
  if (slower !== undefined && remote.ms > local.ms * slower.times && remote.ms > local.ms + slower.ms)
    add("time", "ms", Math.round(local.ms), Math.round(remote.ms));
  return differences;
}

function compareErrors(
  local: ComparedAnswer,
  remote: ComparedAnswer,
  add: (kind: Difference["kind"], path: string, own: unknown, other: unknown) => void,
): void {
  if (local.status !== remote.status) add("error", "status", local.status, remote.status);
  else if (codeOf(local.body) !== codeOf(remote.body))
    add("error", "error.code", codeOf(local.body), codeOf(remote.body));
}

function comparePrices(
  local: unknown,
  remote: unknown,
  add: (kind: Difference["kind"], path: string, own: unknown, other: unknown) => void,
): void {
  const [own, other] = [metaOf(local), metaOf(remote)];
  // A call that the free quota covered says nothing of its price.
  if (own?.used_free_quota === true || other?.used_free_quota === true) return;
  if (own?.charged_usd !== other?.charged_usd)
    add("price", "meta.charged_usd", own?.charged_usd, other?.charged_usd);
}

function metaOf(body: unknown): { charged_usd?: unknown; used_free_quota?: unknown } | undefined {
  return (body as { meta?: object } | null)?.meta;
}

function codeOf(body: unknown): unknown {
  return (
    (body as { error?: { code?: unknown } } | null)?.error?.code ??
    (typeof body === "string" ? "text" : undefined)
  );
}
