import { z } from "zod";
import { PullError } from "../../contract/errors.js";
import { safeUrl } from "../source/http-client.js";
import type { DatasetAddress } from "./dataset-address.js";
import { DATASET_DEFAULTS } from "./defaults.js";
import type { ReadJson } from "./read-json.js";
import { type DatasetListing, folderName, isSafePath, type RemoteFile } from "./remote-file.js";

const text = z.string().nullish();
const Resource = z.object({
  id: z.string(),
  url: text,
  name: text,
  format: text,
  state: text,
  last_modified: text,
});
/** The answer of `GET /api/3/action/package_show?id=…`. */
const Package = z.object({
  success: z.literal(true),
  result: z.object({
    name: z.string(),
    metadata_modified: text,
    resources: z.array(Resource).max(DATASET_DEFAULTS.maxFiles),
  }),
});

/** Formats that portals name, and endings that say the same. */
const ENDINGS: Readonly<Record<string, string>> = {
  csv: ".csv",
  tsv: ".tsv",
  json: ".json",
  geojson: ".json",
  jsonl: ".jsonl",
  ndjson: ".jsonl",
  jsonlines: ".jsonl",
  parquet: ".parquet",
  zip: ".zip",
  txt: ".txt",
};
const KNOWN = /\.(csv|tsv|json|jsonl|ndjson|parquet|txt|zip)(\.gz)?$/i;

/**
 * Lists the resources of a dataset on a CKAN portal. A resource may be on any server. The portal says nothing that proves a
 * file: its sizes and hashes are what somebody typed in, or of another version.
 * @throws PullError `source_invalid`, `source_untrusted` for a resource without encryption on a portal with it
 */
export async function listCkan(
  { portal, id, resource: only }: DatasetAddress & { readonly layout: "ckan" },
  read: ReadJson,
): Promise<DatasetListing> {
  const { json } = await read(`${portal}/api/3/action/package_show?id=${encodeURIComponent(id)}`, Package);
  const { name, metadata_modified, resources } = json.result;
  const wanted = resources.filter(
    (one) => one.state !== "deleted" && (only === undefined || one.id === only) && isWeb(one.url),
  );
  const names = wanted.map(fileName);
  const files = wanted.map((one, i): RemoteFile => {
    const isAlone = names.filter((other) => other.toLowerCase() === names[i]!.toLowerCase()).length === 1;
    const url = new URL(one.url!);
    if (portal.startsWith("https:") && url.protocol === "http:")
      throw new PullError("source_untrusted", `A resource of ${name} is at a place without encryption`, {
        value: safeUrl(url.href),
        remedy: "fetch that file yourself if you trust the network, and ingest it",
      });
    url.hash = "";
    return {
      path: isAlone ? names[i]! : `${folderName(one.id)}/${names[i]!}`,
      url: url.href,
      changed: one.last_modified ?? metadata_modified ?? undefined,
    };
  });
  return { name: folderName(name), revision: undefined, files, base: undefined };
}

function isWeb(url: string | null | undefined): boolean {
  return url != null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** A resource's file name: the last part of its address, with an ending that says its format. */
function fileName({ id, url, name, format }: z.infer<typeof Resource>): string {
  const last = new URL(url!).pathname.split("/").at(-1) ?? "";
  const given = [decoded(last), name ?? ""].find((one) => KNOWN.test(one) && isFileName(one));
  if (given !== undefined) return given;
  const bare = isFileName(decoded(last)) ? decoded(last) : folderName(id);
  return `${bare}${ENDINGS[(format ?? "").toLowerCase().replace(/[^a-z]/g, "")] ?? ""}`;
}

function isFileName(name: string): boolean {
  return !name.includes("/") && isSafePath(name);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
