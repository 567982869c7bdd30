import type { EndpointSpec } from "../contract/service/endpoint.js";

/** Result of routing a method and path. */
export interface Route {
  /** The endpoint; undefined if the path is unknown or does not allow the method. */
  readonly endpoint?: EndpointSpec;
  /** Methods of the path; `GET` and `POST` for an unknown path. */
  readonly allow: readonly string[];
  /** Values of the `{name}` segments of the path. */
  readonly pathParams: Readonly<Record<string, string>>;
}

/** Finds the endpoint of a request. */
export type Router = (method: string, path: string) => Route;

interface Pattern {
  readonly segments: readonly string[];
  readonly byMethod: ReadonlyMap<string, EndpointSpec>;
}

const ANY_METHOD = ["GET", "POST"] as const;
const NOWHERE: Route = { allow: ANY_METHOD, pathParams: {} };

/**
 * Compiles the catalogue to a router. Literal paths take precedence over paths with `{name}` segments. Each request
 * segment is percent-decoded separately, so an encoded slash does not split it.
 */
export function compileRoutes(catalogue: readonly EndpointSpec[]): Router {
  const byPath = new Map<string, Map<string, EndpointSpec>>();
  for (const endpoint of catalogue) {
    const methods = byPath.get(endpoint.path) ?? new Map<string, EndpointSpec>();
    byPath.set(endpoint.path, methods.set(endpoint.method, endpoint));
  }
  const patterns: Pattern[] = [...byPath]
    .filter(([path]) => path.includes("{"))
    .map(([path, byMethod]) => ({ segments: path.split("/"), byMethod }));

  return (method, path) => {
    const decoded = path.includes("%") ? decodeSegments(path) : path.split("/");
    if (decoded === undefined) return NOWHERE;
    const literal = path.includes("%")
      ? decoded.some((segment) => segment.includes("/"))
        ? undefined
        : byPath.get(decoded.join("/"))
      : byPath.get(path);
    if (literal !== undefined) return route(literal, method, {});
    for (const pattern of patterns) {
      const pathParams = matchSegments(pattern.segments, decoded);
      if (pathParams !== undefined) return route(pattern.byMethod, method, pathParams);
    }
    return NOWHERE;
  };
}

function route(
  byMethod: ReadonlyMap<string, EndpointSpec>,
  method: string,
  pathParams: Route["pathParams"],
): Route {
  const endpoint = byMethod.get(method);
  return { allow: [...byMethod.keys()], pathParams, endpoint };
}

function decodeSegments(path: string): string[] | undefined {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return undefined; // not UTF-8, so not in the catalogue
  }
}

function matchSegments(
  pattern: readonly string[],
  path: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== path.length) return undefined;
  const values: Record<string, string> = {};
  for (const [i, expected] of pattern.entries()) {
    const actual = path[i] ?? "";
    if (expected.startsWith("{") && expected.endsWith("}") && actual !== "")
      values[expected.slice(1, -1)] = actual;
    else if (expected !== actual) return undefined;
  }
  return values;
}
