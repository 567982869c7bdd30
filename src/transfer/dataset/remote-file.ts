import { PullError } from "../../contract/errors.js";
import type { ExpectedFile } from "../pull/partial-file.js";

/** A file of a dataset on a host, as the host lists it. */
export interface RemoteFile extends Omit<ExpectedFile, "label"> {
  /** Path in the dataset's folder, `/`-separated; it leads nowhere else. */
  readonly path: string;
  /** Address of its bytes. */
  readonly url: string;
  /** When it was last changed, as the host says it. */
  readonly changed?: string | undefined;
}

/** What a host lists of a dataset. */
export interface DatasetListing {
  /** Its name, fit for a folder. */
  readonly name: string;
  /** Commit that the list is of, where the host has such. */
  readonly revision: string | undefined;
  readonly files: readonly RemoteFile[];
  /** Address of its folder, where files can be asked for by their paths. */
  readonly base: string | undefined;
}

/** A control character, or one that has a meaning in paths of some system. */
const STRANGE = /[\p{Cc}\\:*?"<>|]/u;

/** Whether a listed path can be written below a folder as it is, on any system. */
export function isSafePath(path: string): boolean {
  return (
    path.length <= 1000 &&
    !STRANGE.test(path) &&
    path.split("/").every((part) => part !== "" && !/^\.+$/.test(part) && !/[. ]$/.test(part))
  );
}

/** @throws PullError `source_invalid` */
export function checkPath(path: string, source: string): string {
  if (isSafePath(path)) return path;
  throw new PullError("source_invalid", `${source} lists a file whose name leads elsewhere`, {
    value: path.slice(0, 200),
    remedy: "do not trust the source",
  });
}

/** A name that can be a folder's. */
export function folderName(name: string): string {
  const bare = name
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[.-]+|[.-]+$/g, "")
    .slice(0, 80);
  return bare === "" ? "dataset" : bare;
}
