import { Hono } from "hono";
import { etag } from "hono/etag";
import { type CatalogueSource, madeOfCatalogue } from "../contract/service/catalogue/catalogue-source.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { openApiSteps } from "../contract/service/openapi/openapi-document.js";
import { StaticFiles } from "../files/static-files.js";
import { nextTurn } from "../next-turn.js";
import { DOCS_ASSETS, DOCS_CSP, DOCS_PATH, docsPage, docsStartScript, OPENAPI_PATH } from "./docs-page.js";

/** Folder of Swagger UI's files in the build. */
const ASSETS = new URL("./docs-ui/", import.meta.url);

/** What another version of the server may answer otherwise. */
const ASK_AGAIN = { "Cache-Control": "no-cache" } as const;

/**
 * Creates the documentation site: the OpenAPI document and Swagger UI. It needs no API key and loads nothing from other
 * servers.
 */
export function createDocsSite(catalogue: CatalogueSource): Hono {
  const document = madeOfCatalogue(catalogue, documentText);
  const assets = new StaticFiles(ASSETS);
  const site = new Hono();
  site.use(async (context, next) => {
    await next();
    context.header("X-Content-Type-Options", "nosniff");
    context.header("Content-Security-Policy", DOCS_CSP);
  });
  // On what has to be asked for again alone: answers of other routes may be endless.
  const tagged = etag();
  site.get(OPENAPI_PATH, tagged, async (context) =>
    context.body(await document(), 200, { "Content-Type": "application/json", ...ASK_AGAIN }),
  );
  site.get(DOCS_PATH, tagged, (context) => context.html(docsPage(), 200, ASK_AGAIN));
  site.get(`${DOCS_PATH}/`, (context) => context.redirect(`..${DOCS_PATH}`));
  site.get(`${DOCS_PATH}/start.js`, tagged, (context) =>
    context.body(docsStartScript(), 200, {
      "Content-Type": "text/javascript; charset=utf-8",
      ...ASK_AGAIN,
    }),
  );
  for (const [name, type] of Object.entries(DOCS_ASSETS)) {
    site.get(`${DOCS_PATH}/${name}`, async (context) => {
      const file = await assets.get(name, context.req.header("accept-encoding"));
      if (file === undefined) return context.json({ detail: "Swagger UI is not part of this build" }, 404);
      const headers = { ...file.headers, "Content-Type": type, "Cache-Control": "max-age=86400" };
      return context.body(file.bytes, 200, headers);
    });
  }
  const files = ["", "start.js", ...Object.keys(DOCS_ASSETS)].map((name) => `${DOCS_PATH}/${name}`);
  for (const path of [OPENAPI_PATH, DOCS_PATH, ...files])
    site.all(path, (context, next) => {
      if (context.req.method === "GET" || context.req.method === "HEAD") return next();
      return context.json({ detail: "Method Not Allowed" }, 405, { Allow: "GET, HEAD" });
    });
  return site;
}

/** The text of the OpenAPI document. Others get a turn after every row, because all of them take tenths of a second. */
async function documentText(rows: readonly EndpointSpec[]): Promise<string> {
  const steps = openApiSteps(rows, { serverUrl: "." }); // relative to the document, which a proxy may have under a path
  for (;;) {
    const step = steps.next();
    await nextTurn();
    if (step.done === true) return JSON.stringify(step.value);
  }
}
