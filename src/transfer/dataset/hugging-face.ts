import { z } from "zod";
import { PullError } from "../../contract/errors.js";
import { safeUrl } from "../source/http-client.js";
import type { DatasetAddress } from "./dataset-address.js";
import { DATASET_DEFAULTS } from "./defaults.js";
import type { ReadJson } from "./read-json.js";
import { checkPath, type DatasetListing, folderName, type RemoteFile } from "./remote-file.js";

/** A commit of a dataset: `GET /api/datasets/<id>/revision/<revision>`. */
const Revision = z.object({ sha: z.string().regex(/^[0-9a-f]{40,64}$/) });

/**
 * An entry of `GET /api/datasets/<id>/tree/<commit>`. `oid` is the id of git's object, of a large file's pointer where there is
 * `lfs`, whose `oid` is the SHA-256 of the file itself.
 */
const Entry = z.object({
  type: z.string(),
  path: z.string(),
  size: z.number().int().min(0).optional(),
  oid: z.string().optional(),
  lfs: z.object({ oid: z.string().regex(/^[0-9a-f]{64}$/), size: z.number().int().min(0) }).optional(),
});
const Entries = z.array(Entry);

/**
 * Lists a dataset on a Hugging Face hub, at one commit: what is written to it meanwhile is not mixed in. Sizes and hashes
 * come with the list, so that every file can be checked.
 * @throws PullError `source_invalid`, `source_not_found`
 */
export async function listHuggingFace(
  { hub, id, revision, folder }: DatasetAddress & { readonly layout: "huggingface" },
  read: ReadJson,
): Promise<DatasetListing> {
  const api = `${hub}/api/datasets/${id}`;
  const { json } = await read(`${api}/revision/${encodeURIComponent(revision)}`, Revision);
  const inFolder = folder === "" ? "" : `/${encodePath(folder)}`;
  const base = `${hub}/datasets/${id}/resolve/${json.sha}`;
  const prefix = folder === "" ? "" : `${folder}/`;
  const files: RemoteFile[] = [];
  let next: string | undefined = `${api}/tree/${json.sha}${inFolder}?recursive=true&expand=false`;
  for (let pages = 0; next !== undefined; pages++) {
    if (pages >= DATASET_DEFAULTS.maxPages || files.length > DATASET_DEFAULTS.maxFiles)
      throw new PullError("source_invalid", `${safeUrl(api)} lists more files than a dataset can have here`, {
        value: files.length,
        remedy: "name a folder of the dataset: …/tree/main/folder",
      });
    const page: { json: z.infer<typeof Entries>; link: string | undefined } = await read(next, Entries);
    for (const { type, path, size, oid, lfs } of page.json) {
      if (type !== "file" || !path.startsWith(prefix)) continue;
      const gitBlob = lfs === undefined && /^[0-9a-f]{40}$/.test(oid ?? "") ? oid : undefined;
      files.push({
        path: checkPath(path.slice(prefix.length), safeUrl(api)),
        url: `${base}/${encodePath(path)}`,
        bytes: lfs?.size ?? size,
        sha256: lfs?.oid,
        gitBlob,
      });
    }
    next = nextPage(page.link, next);
  }
  return {
    name: folderName(id.split("/").at(-1)!),
    revision: json.sha,
    files,
    base: `${base}${inFolder}/`,
  };
}

/** The address of the next page, from a `Link` header (RFC 8288); only on the same origin. */
function nextPage(link: string | undefined, from: string): string | undefined {
  const [, target] = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? "") ?? [];
  if (target === undefined) return undefined;
  const next = new URL(target, from);
  if (next.origin === new URL(from).origin) return next.href;
  throw new PullError("source_untrusted", `The list of files goes on at another origin: ${next.origin}`, {
    value: safeUrl(next.href),
    remedy: "do not trust the source",
  });
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
