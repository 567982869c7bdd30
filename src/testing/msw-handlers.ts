import { z } from "zod";
import type { Fetch } from "../client/lake-fetch.js";
import { checkArgument } from "../contract/check-options.js";
import { objectOption } from "../contract/option-schemas.js";
import { DATASET_URL } from "../contract/slice/dataset-paths.js";
import { FETCHING_LAKE } from "./fetching-lake.js";

/** The part of msw's `http` that is used: the same in msw 2 and 3. */
export interface MswHttp<Handler> {
  all(path: string | RegExp, resolver: (info: { readonly request: Request }) => Promise<Response>): Handler;
}

const HTTP = objectOption<Pick<MswHttp<unknown>, "all">>(["all"], "the http of msw");
const PATH = z.string().optional();

/** Requests of the service, at any host: what is below its root, the root itself, and the files of slices. */
const SERVICE = ["*/v1/*", "*/v1", DATASET_URL];

/**
 * Makes handlers for msw, with which a lake answers requests to the service: `setupServer(...mswHandlers(lake, http))`, with msw's
 * own `http`. Quota, window, balance and faults are the lake's, as over every other door.
 * @param path requests to answer, in msw's notation: `https://api.example.com/v1/*`; by default the paths of the service and the files of
 * its slices (`download_url`), at any host
 * @throws UsageError `invalid_argument`
 */
export function mswHandlers<Handler>(
  lake: { readonly fetch: Fetch },
  http: MswHttp<Handler>,
  path?: string,
): Handler[] {
  checkArgument(FETCHING_LAKE, lake, "lake", "mswHandlers");
  checkArgument(HTTP, http, "http", "mswHandlers");
  checkArgument(PATH, path, "path", "mswHandlers");
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
