/**
 * Serves a small lake by the Model Context Protocol for the conformance package: at `/mcp` as `serve --mcp` does, at `/fixtures` with the
 * tools, resources and prompts that its scenarios ask for, over the same endpoint. It adds the key, which the package cannot send.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFixtures } from "./fixtures.js";

/** By paths: this folder is a package of its own, and no entry point has the endpoint. */
const built = (/** @type {string} */ file) => import(new URL(`../../build/${file}`, import.meta.url).href);

/** @returns {Promise<{ url: string; fixtures: string; close(): Promise<void> }>} */
export async function startConformanceServer() {
  const { createLake, openLake, startServer } = await built("lazy-index.js");
  const { createMcpEndpoint } = await built("mcp/http-endpoint.js");
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-conformance-"));
  const rows = Array.from({ length: 40 }, (_, i) => ({
    id: `soc_frm_${i}`,
    platform: "forum",
    lang: "en",
    text: `Record ${i} about boots`,
    prov: { ts: "2026-05-29T12:00:00Z" },
  }));
  await createLake(join(dir, "lake"), rows);
  const lake = await openLake(join(dir, "lake"), { account: "memory", limits: "off" });
  const options = {
    version: "0.0.0",
    service: lake.service,
    account: lake.account,
    sqlStream: lake.sqlStream,
    onError: () => {}, // the scenarios send much that is refused
  };
  const own = createMcpEndpoint(options);
  const fixtures = createMcpEndpoint({ ...options, createServer: createFixtures });
  const keyed = async (/** @type {Request} */ request) => {
    const { url, method, headers, signal } = request;
    const withKey = new Headers(headers);
    withKey.set("x-api-key", lake.apiKey);
    const body = method === "POST" ? await request.text() : null;
    return new Request(url, { method, headers: withKey, body, signal });
  };
  const server = await startServer(lake.service, { mcp: async (request) => own.fetch(await keyed(request)) });
  const second = await startServer(lake.service, {
    mcp: async (request) => fixtures.fetch(await keyed(request)),
  });
  return {
    url: `${server.url}/mcp`,
    fixtures: `${second.url}/mcp`,
    close: async () => {
      await Promise.all([own.close(), fixtures.close()]);
      await Promise.all([server.close(0), second.close(0)]);
      await lake.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
