import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type { ToolAnswer } from "../tools/answer.js";
import type { Tool, ToolClient } from "../tools/tool.js";
import { allDatasets, datasetCard, datasetsAt } from "./datasets.js";
import { MCP_DEFAULTS } from "./defaults.js";
import { fillUri, parseUri } from "./resource-uri.js";

/** Templates of resources, in the order in which they are listed. */
const RESOURCE_TEMPLATES = [
  {
    uriTemplate: "mirrorlake://records/{id}",
    name: "record",
    title: "A record by its id",
    description: "One record of the unified form, by the id that search gives.",
    mimeType: "text/plain",
  },
  {
    uriTemplate: "mirrorlake://platforms/{platform}",
    name: "platform",
    title: "A platform",
    description: "How many records a platform has, and what it can be asked.",
    mimeType: "text/plain",
  },
  {
    uriTemplate: "mirrorlake://datasets/{name}",
    name: "dataset-manifest",
    title: "The manifest of a dataset slice",
    description: "Frictionless Data Package: files, hashes, columns, licence.",
    mimeType: "application/json",
  },
  {
    uriTemplate: "mirrorlake://datasets/{name}/card",
    name: "dataset-card",
    title: "The card of a dataset slice",
    description: "What it has, from when, under which licence.",
    mimeType: "text/plain",
  },
] as const;

/** What resources are read with. */
export interface ResourceReader {
  readonly client: ToolClient;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly signal: AbortSignal;
}

/** The tool that a template is read with; the others ask the client. */
const TOOL_OF: Readonly<Record<string, string>> = { record: "get_item", platform: "list_platforms" };

/** The templates that can be read: not those of tools that are not offered. */
export function listTemplates(tools: ResourceReader["tools"]) {
  const offered = RESOURCE_TEMPLATES.filter(
    ({ name }) => TOOL_OF[name] === undefined || tools.has(TOOL_OF[name]),
  );
  return { resourceTemplates: offered.map((template) => ({ ...template })) };
}

/** A page of the resources that can be named: manifests and cards of slices. */
export async function listResources({ client, signal }: ResourceReader, cursor: string | undefined) {
  const at = Number(cursor ?? 0);
  if (!Number.isSafeInteger(at) || at < 0)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The cursor is not one of an earlier page");
  const page = await datasetsAt(client, at, MCP_DEFAULTS.datasetsOfPage, signal);
  const [manifest, card] = [RESOURCE_TEMPLATES[2], RESOURCE_TEMPLATES[3]];
  return {
    resources: page.items.flatMap(({ name }) =>
      [manifest, card].map(({ uriTemplate, title, description, mimeType }) => ({
        uri: fillUri(uriTemplate, name),
        name: uriTemplate.endsWith("/card") ? `${name}-card` : name,
        title: `${title}: ${name}`,
        description,
        mimeType,
      })),
    ),
    ...(page.has_more ? { nextCursor: String(page.cursor) } : {}),
  };
}

/** Reads a resource. @throws ResourceNotFoundError; ProtocolError if it was refused, so that it may well be there */
export async function readResource(reader: ResourceReader, uri: string) {
  for (const { uriTemplate, mimeType } of RESOURCE_TEMPLATES) {
    const value = parseUri(uriTemplate, uri);
    if (value === undefined) continue;
    const text = await textOf(reader, uriTemplate, value);
    if (text !== undefined) return { contents: [{ uri, mimeType, text }] };
  }
  throw new ResourceNotFoundError(uri);
}

async function textOf(
  { client, tools, signal }: ResourceReader,
  template: string,
  value: string,
): Promise<string | undefined> {
  if (template.includes("/datasets/")) {
    for await (const manifest of allDatasets(client, signal)) {
      if (manifest.name !== value) continue;
      return template.endsWith("/card") ? datasetCard(manifest) : JSON.stringify(manifest, null, 2);
    }
    return undefined;
  }
  const [name, input] = template.includes("/records/")
    ? (["get_item", { id: value }] as const)
    : (["list_platforms", { platform: value }] as const);
  const answer = await tools.get(name)?.execute(input, { signal });
  if (answer?.isError) assertAbsent(answer);
  return answer === undefined || answer.isError || answer.structured.shown === 0 ? undefined : answer.text;
}

/** Codes of calls for what no lake has under this name. */
const ABSENT: ReadonlySet<string> = new Set([
  "not_found",
  "invalid_params",
  "missing_platform",
  "unknown_resource",
]);

/** @throws ProtocolError if a failed answer says anything else than that there is no such thing */
function assertAbsent({ failure, text }: ToolAnswer): void {
  if (failure === undefined) throw new ProtocolError(ProtocolErrorCode.InternalError, text);
  const { code, message, remedy } = failure;
  if (!ABSENT.has(code)) throw new ProtocolError(ProtocolErrorCode.InternalError, message, { code, remedy });
}
