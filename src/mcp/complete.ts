import { nearestName } from "../contract/nearest-name.js";
import type { DirectoryEntry } from "../contract/service/platform-directory.js";
import { allDatasets } from "./datasets.js";
import { MCP_DEFAULTS } from "./defaults.js";
import type { ResourceReader } from "./resources.js";

/** Completes the variable of a resource or the argument of a prompt: platforms, datasets, and over a lake the ids of records. */
export async function complete(reader: ResourceReader, of: string, argument: string, begun: string) {
  const all = await candidates(reader, of, argument, begun);
  const matching = all.filter((value) => value.startsWith(begun));
  const near = matching.length > 0 ? undefined : nearestName(begun, all);
  const values = near === undefined ? matching : [near];
  return {
    completion: {
      values: values.slice(0, MCP_DEFAULTS.completions),
      total: values.length,
      hasMore: values.length > MCP_DEFAULTS.completions,
    },
  };
}

async function candidates(
  { client, signal }: ResourceReader,
  of: string,
  argument: string,
  begun: string,
): Promise<string[]> {
  if (argument === "platform") {
    const { data } = await client.call("datasets.platforms", {}, { signal });
    return (data as readonly DirectoryEntry[]).map(({ platform }) => platform).sort();
  }
  if (argument === "name") {
    const names = new Set<string>();
    for await (const { name } of allDatasets(client, signal)) names.add(name);
    return [...names].sort();
  }
  if (argument !== "id" || !of.includes("/records/") || client.sqlStream === undefined) return [];
  const ids: string[] = [];
  const query = "SELECT id FROM records WHERE starts_with(id, $1) ORDER BY id LIMIT $2";
  for await (const rows of client.sqlStream(query, [begun, MCP_DEFAULTS.completions + 1], { signal }))
    for (const { id } of rows) ids.push(String(id));
  return ids;
}
