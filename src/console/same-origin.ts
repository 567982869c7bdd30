/**
 * Why a request to the console's API is refused before anything is read: it was sent by a page of another origin. Browsers say so in
 * `Sec-Fetch-Site` and, where something is changed, always in `Origin`; pages on other ports of this machine are other origins too.
 * @returns undefined if the request may go on
 */
export function foreignOrigin(request: Request, url: URL): string | undefined {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return `a page of another origin sent it (${site})`;
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== url.origin) return "its Origin is not this server";
  if (origin === null && request.method !== "GET") return "it has no Origin";
  return undefined;
}
