/** Allowed origins: `"*"`, or a list such as `["http://localhost:5173"]`, in which `"*"` stands for all. */
export type CorsOrigins = "*" | readonly string[];

/** The origins that CORS allows: all where the list names `"*"`. */
export function allowedOrigins(origins: CorsOrigins): CorsOrigins {
  return origins.includes("*") ? "*" : origins;
}

/**
 * Says what is wrong with an allowed origin that is no `Origin` a browser sends (RFC 6454 section 6.2), and so would never match.
 * @returns words after "it", with the origin that was probably meant; undefined for `"*"`, and for an origin as browsers send it
 */
export function originProblem(origin: string): string | undefined {
  // Pages of files and of sandboxed frames send `null`.
  if (origin === "*" || origin === "null") return undefined;
  const meant = originOf(origin) ?? (origin.includes("://") ? undefined : originOf(`http://${origin}`));
  if (meant === origin) return undefined;
  if (meant === undefined) return 'must be one origin, such as "http://localhost:5173", or "*" for all';
  return `must be an origin as browsers send it: ${JSON.stringify(meant)}`;
}

/** The origin of an address; undefined where it has none. Schemes of apps and of extensions of browsers have no `origin` in URLs. */
function originOf(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.host === "" || url.host.includes("*")) return undefined;
  return url.origin === "null" ? `${url.protocol}//${url.host}` : url.origin;
}
