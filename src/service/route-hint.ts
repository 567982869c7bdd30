import { didYouMean, nearestName } from "../contract/nearest-name.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";

/** Most characters of a path in a hint. */
const MAX_SHOWN = 60;

/**
 * Suggests a correction for an unknown path: the platform or resource of `/v1/raw/<platform>/<resource>`, or the path;
 * undefined if no known path is similar.
 */
export function routeHint(path: string, catalogue: readonly EndpointSpec[]): string | undefined {
  const [, platform, resource] = /^\/v1\/raw\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  if (platform === undefined || resource === undefined) {
    const meant = nearestName(path.slice(0, 2 * MAX_SHOWN), new Set(catalogue.map((row) => row.path)));
    return meant === undefined ? undefined : `no such path${didYouMean(meant)}`;
  }
  const resources = catalogue.flatMap((row) => (row.platform === platform ? [row.resource ?? ""] : []));
  if (resources.length === 0) {
    const platforms = new Set(catalogue.flatMap((row) => row.platform ?? []));
    const meant = nearestName(platform.slice(0, MAX_SHOWN), platforms);
    const known = didYouMean(meant) || `; it has ${[...platforms].join(", ")}`;
    return `no platform ${shown(platform)} in the catalogue${known}`;
  }
  const meant = nearestName(resource.slice(0, MAX_SHOWN), resources);
  const known = didYouMean(meant) || `; it has ${resources.join(", ")}`;
  return `no resource ${shown(resource)} of ${shown(platform)}${known}`;
}

function shown(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}
