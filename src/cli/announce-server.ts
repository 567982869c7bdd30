import type { LakeClient } from "../client/open-lake.js";
import type { Console } from "../console/console.js";
import { omitUndefined } from "../contract/omit-undefined.js";
import type { RunningServer } from "../http/server.js";
import { type CliContext, printJson } from "./context.js";
import { style } from "./format/terminal-style.js";
import type { Operations } from "./operations.js";

/** Prints where a server is reached, its key, a call to try, and what else it serves; with `json`, as one object. */
export function announce(
  { url }: RunningServer,
  { apiKey }: LakeClient,
  webConsole: Console | undefined,
  operations: Operations,
  { json, mcp }: { readonly json?: boolean; readonly mcp?: boolean },
  context: CliContext,
): void {
  if (json) {
    const address = webConsole === undefined ? undefined : consoleAddress(url, webConsole);
    const agents = mcp ? `${url}/mcp` : undefined;
    printJson(
      context,
      omitUndefined({ url, apiKey, console: address, mcp: agents, operations: operations.url }),
    );
    return;
  }
  const { out } = context;
  out.write(`${style(out, "bold", url)}\n`);
  if (webConsole !== undefined) out.write(`Console ${consoleAddress(url, webConsole)}\n`);
  out.write(`API key ${apiKey}   (all scopes, valid until this server stops)\n\n`);
  out.write(`curl ${url}/v1/search -H 'x-api-key: ${apiKey}' -H 'content-type: application/json' \\\n`);
  out.write(`  -d '{"query": "wireless mouse", "format": "records", "freshness": "90d"}'\n\n`);
  if (operations.url !== undefined) out.write(`Metrics: ${operations.url}/metrics\n\n`);
  if (mcp === true) out.write(`Agents: ${url}/mcp, with the key as a bearer token\n\n`);
  out.write(style(out, "dim", "Ctrl-C stops it after the running calls are answered.\n"));
}

/** The address that opens the console. Browsers send no fragment, so the token is in no log. */
function consoleAddress(url: string, { token }: Console): string {
  return `${url}/#token=${token}`;
}
