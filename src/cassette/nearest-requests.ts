import type { Json } from "../contract/json.js";
import { shown } from "../contract/shown-value.js";
import type { CassetteRequest } from "./cassette-line.js";

/** A recorded request, and what differs from the one that was asked. */
export interface NearRequest {
  readonly request: CassetteRequest;
  /** Such as `query: "boots" was recorded, "boot" was asked`. */
  readonly differences: readonly string[];
}

/** Another endpoint is further away than any other parameter. */
const ENDPOINT_WEIGHT = 100;

/** The recorded requests that are nearest to one: fewest differences first, at most `limit`. */
export function nearestRequests(
  asked: CassetteRequest,
  recorded: Iterable<CassetteRequest>,
  limit = 3,
): NearRequest[] {
  const ranked = [...recorded].map((request, order) => {
    const differences = differencesOf(request, asked);
    const elsewhere = request.path !== asked.path || request.method !== asked.method;
    return { request, differences, order, distance: differences.length + (elsewhere ? ENDPOINT_WEIGHT : 0) };
  });
  return ranked
    .sort((a, b) => a.distance - b.distance || a.order - b.order)
    .slice(0, limit)
    .map(({ request, differences }) => ({ request, differences }));
}

function differencesOf(recorded: CassetteRequest, asked: CassetteRequest): string[] {
  const [there, here] = [flat(recorded), flat(asked)];
  const names = [...new Set([...there.keys(), ...here.keys()])];
  return names.flatMap((name) => {
    const [was, is] = [there.get(name), here.get(name)];
    if (was === is) return [];
    if (is === undefined) return [`${name}: ${was} was recorded, nothing was asked`];
    if (was === undefined) return [`${name}: nothing was recorded, ${is} was asked`];
    return [`${name}: ${was} was recorded, ${is} was asked`];
  });
}

function flat({ method, path, query = {}, body }: CassetteRequest): Map<string, string> {
  const entries = new Map([
    ["method", method],
    ["path", path],
  ]);
  for (const [name, values] of Object.entries(query)) entries.set(name, values.join(","));
  if (body !== null && typeof body === "object" && !Array.isArray(body)) {
    for (const [name, value] of Object.entries(body)) entries.set(name, textOf(value as Json));
  } else if (body !== undefined) entries.set("body", textOf(body as Json));
  return entries;
}

function textOf(value: Json): string {
  return typeof value === "object" ? JSON.stringify(value) : shown(value);
}
