/**
 * Why a request to the console's API is refused before anything is read: it was sent by a page of another origin. Browsers say so in
 * `Sec-Fetch-Site`, which no page can set, where the connection is encrypted or to their own machine; pages on other ports of it are other
 * origins too. Elsewhere `Origin` has to be that of the server. It is not compared where both are sent: behind a proxy the server knows
 * neither its name nor its scheme. Where something is changed, browsers always send `Origin`.
 * @returns undefined if the request may go on
 */
export function foreignOrigin(request: Request, url: URL): string | undefined {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  if (site !== null && site !== "same-origin") return `a page of another origin sent it (${site})`;
  if (origin === null) return request.method === "GET" ? undefined : "it has no Origin";
  if (site === null && origin !== url.origin) return "its Origin is not this server";
  return undefined;
}
