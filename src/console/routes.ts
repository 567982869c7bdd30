import {
  accountRoute,
  createKeyRoute,
  keysRoute,
  ledgerRoute,
  revokeKeyRoute,
  topUpRoute,
  usageRoute,
} from "./api/account-routes.js";
import { callRoute, endpointRoute, endpointsRoute } from "./api/endpoint-routes.js";
import { jobRoute, jobsRoute, startJobRoute, stopJobRoute } from "./api/job-routes.js";
import { lakeRoute, removalsRoute, slicesRoute } from "./api/lake-routes.js";
import { facetsRoute, recordRoute, searchRoute } from "./api/search-routes.js";
import {
  sqlColumnsRoute,
  sqlFileRoute,
  sqlPageRoute,
  sqlRoute,
  sqlRowRoute,
  viewsRoute,
} from "./api/sql-routes.js";
import { mapRoute, statisticsRoute } from "./api/statistics-routes.js";
import type { Route } from "./route.js";

/** Every route of the console's API. All but the exchange of the token need a session. */
export const ROUTES: readonly Route[] = [
  lakeRoute,
  searchRoute,
  recordRoute,
  facetsRoute,
  endpointsRoute,
  endpointRoute,
  callRoute,
  slicesRoute,
  removalsRoute,
  statisticsRoute,
  mapRoute,
  startJobRoute,
  stopJobRoute,
  jobRoute,
  jobsRoute,
  keysRoute,
  createKeyRoute,
  revokeKeyRoute,
  accountRoute,
  usageRoute,
  ledgerRoute,
  topUpRoute,
  viewsRoute,
  sqlRoute,
  sqlPageRoute,
  sqlRowRoute,
  sqlColumnsRoute,
  sqlFileRoute,
];
