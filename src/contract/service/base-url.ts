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
