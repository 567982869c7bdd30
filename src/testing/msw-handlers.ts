import type { Fetch } from "../client/lake-fetch.js";

/** The part of msw's `http` that is used: the same in msw 2 and 3. */
export interface MswHttp<Handler> {
  all(path: string, resolver: (info: { readonly request: Request }) => Promise<Response>): Handler;
}

/** Requests of the service, at any host: what is below its root, and the root itself. */
const SERVICE = ["*/v1/*", "*/v1"];

/**
 * Makes handlers for msw, with which a lake answers requests to the service: `setupServer(...mswHandlers(lake, http))`, with msw's
 * own `http`. Quota, window, balance and faults are the lake's, as over every other door.
 * @param path requests to answer, in msw's notation: `https://api.example.com/v1/*`; the paths of the service at any host by default
 */
export function mswHandlers<Handler>(
  lake: { readonly fetch: Fetch },
  http: MswHttp<Handler>,
  path?: string,
): Handler[] {
  return (path === undefined ? SERVICE : [path]).map((of) =>
    http.all(of, async ({ request }) => {
      try {
        return await lake.fetch(request);
      } catch {
        return Response.error(); // what msw makes a network error of; who gave up has its own error
      }
    }),
  );
}
