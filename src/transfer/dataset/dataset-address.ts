import { UsageError } from "../../contract/errors.js";

/** File layouts of dataset hosts that `pull` knows. */
export const DATASET_LAYOUTS = ["huggingface", "ckan"] as const;
export type DatasetLayout = (typeof DATASET_LAYOUTS)[number];

/** Where a dataset's files are listed. */
export type DatasetAddress =
  | {
      readonly layout: "huggingface";
      /** Address of the hub, without a slash at its end. */
      readonly hub: string;
      /** `owner/name`, or `name` of an old dataset. */
      readonly id: string;
      /** Branch, tag or commit. */
      readonly revision: string;
      /** Folder in the dataset, without slashes around it; empty for all of it. */
      readonly folder: string;
    }
  | {
      readonly layout: "ckan";
      /** Address of the portal, without a slash at its end. */
      readonly portal: string;
      /** Name or id of the dataset. */
      readonly id: string;
      /** Only this resource. */
      readonly resource: string | undefined;
    };

const HUB = "https://huggingface.co";
const HUB_HOSTS: ReadonlySet<string> = new Set(["huggingface.co", "hf.co", "www.huggingface.co"]);
/** What follows a dataset's id in the addresses of a hub. */
const VIEWS: ReadonlySet<string> = new Set(["tree", "resolve", "blob", "raw"]);

/**
 * Reads the address of a dataset on a Hugging Face hub (`https://huggingface.co/datasets/owner/name`, with `/tree/<revision>/<folder>`
 * too, `hf://datasets/owner/name@revision/folder`) or on a CKAN portal (`https://portal/dataset/name`). Other hubs are known by
 * `/tree/` or `/resolve/` in the path, or by `layout`. Undefined for any other address.
 * @throws UsageError `invalid_source` for an address that does not fit the layout that was given
 */
export function parseDatasetAddress(source: string, layout?: DatasetLayout): DatasetAddress | undefined {
  if (/^hf:\/\//i.test(source)) return hubAddress(source, HUB, pathOfScheme(source));
  const url = URL.canParse(source) ? new URL(source) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    if (layout === undefined) return undefined;
    throw unfit(source, layout);
  }
  const segments = url.pathname.split("/").filter((segment) => segment !== "");
  if (layout !== "ckan") {
    const at = segments.indexOf("datasets");
    const after = segments.slice(at + 1);
    const isHub =
      layout === "huggingface" ||
      HUB_HOSTS.has(url.hostname) ||
      VIEWS.has(after[1] ?? "") ||
      VIEWS.has(after[2] ?? "");
    if (at >= 0 && after.length > 0 && isHub)
      return hubAddress(source, originAnd(url, segments.slice(0, at)), after);
    if (layout === "huggingface") throw unfit(source, layout);
  }
  const address = portalAddress(url, segments);
  if (address === undefined && layout === "ckan") throw unfit(source, layout);
  return address;
}

/** What stays of an address from one revision of a dataset to the next: the host, the dataset, the part of it that is asked for. */
export function datasetIdentity(address: DatasetAddress): string {
  if (address.layout === "huggingface")
    return `${address.hub}/datasets/${address.id}${address.folder === "" ? "" : `#${address.folder}`}`;
  const { portal, id, resource } = address;
  return `${portal}/dataset/${id}${resource === undefined ? "" : `/resource/${resource}`}`;
}

/** `hf://datasets/owner/name@revision/folder`, as segments of the web address. */
function pathOfScheme(source: string): string[] {
  const [kind, owner, name = "", ...folder] = source.slice("hf://".length).split("/");
  const [, bare = "", revision] = /^([^@]*)(?:@(.*))?$/.exec(name) ?? [];
  if (kind !== "datasets" || owner === undefined || bare === "") throw unfit(source, "huggingface");
  return [owner, bare, "tree", revision ?? "main", ...folder.filter((part) => part !== "")];
}

function hubAddress(source: string, hub: string, segments: readonly string[]): DatasetAddress {
  const parts = segments.map(decoded);
  const length = VIEWS.has(segments[1] ?? "") || segments.length === 1 ? 1 : 2;
  const [view, revision = "main", ...folder] = parts.slice(length);
  const id = parts.slice(0, length).join("/");
  const isId = /^[\w.-]+(\/[\w.-]+)?$/.test(id) && !parts.slice(0, length).some((part) => /^\.+$/.test(part));
  if (!isId || (view !== undefined && !VIEWS.has(view))) throw unfit(source, "huggingface");
  return { layout: "huggingface", hub, id, revision, folder: folder.join("/") };
}

function portalAddress(url: URL, segments: readonly string[]): DatasetAddress | undefined {
  const action = segments.indexOf("package_show");
  const asked = url.searchParams.get("id");
  if (action >= 3 && segments[action - 3] === "api" && asked !== null && asked !== "")
    return {
      layout: "ckan",
      portal: originAnd(url, segments.slice(0, action - 3)),
      id: asked,
      resource: undefined,
    };
  const at = segments.indexOf("dataset");
  const [id, kind, resource, ...rest] = segments.slice(at + 1).map(decoded);
  if (at < 0 || id === undefined || rest.length > 0) return undefined;
  if (kind !== undefined && (kind !== "resource" || resource === undefined)) return undefined;
  return { layout: "ckan", portal: originAnd(url, segments.slice(0, at)), id, resource };
}

function originAnd(url: URL, segments: readonly string[]): string {
  return [url.origin, ...segments].join("/");
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function unfit(source: string, layout: DatasetLayout): UsageError {
  const form =
    layout === "huggingface"
      ? "https://huggingface.co/datasets/owner/name, /tree/<revision>/<folder> after it if need be"
      : "https://portal.example/dataset/name";
  return new UsageError("invalid_source", `Not the address of a dataset: ${source.replace(/[?#].*$/, "")}`, {
    value: layout,
    remedy: `give one such as ${form}`,
  });
}
