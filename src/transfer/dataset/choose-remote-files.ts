import { PullError } from "../../contract/errors.js";
import { counted } from "../../contract/quantity.js";
import type { Adapter } from "../../ingest/adapters/adapter.js";
import { compileGlobs } from "../../ingest/readers/glob.js";
import type { DatasetListing, RemoteFile } from "./remote-file.js";

/**
 * The files of a dataset that an adapter reads. Archives are among them: what is in one is not listed.
 * @throws PullError `nothing_selected`
 */
export function chooseRemoteFiles({ name, files }: DatasetListing, adapter: Adapter): readonly RemoteFile[] {
  const globs = adapter.sources.flatMap((source) => source.files);
  const reads = compileGlobs(globs);
  const leaves = compileGlobs((adapter.unread ?? []).flatMap((unread) => unread.files));
  const chosen = files.filter(({ path }) => {
    const bare = path.replace(/\.gz$/i, "");
    const matches = (test: (path: string) => boolean) => test(bare) || test(`${name}/${bare}`);
    return matches(reads) || (/\.zip$/i.test(path) && !matches(leaves) && !path.startsWith("."));
  });
  if (chosen.length > 0) return chosen;
  const listed = files
    .slice(0, 5)
    .map(({ path }) => path)
    .join(", ");
  throw new PullError(
    "nothing_selected",
    `None of ${counted(files.length, "file")} of ${name} matches the mapping's patterns (${globs.join(", ")}): ${listed}${files.length > 5 ? ", …" : ""}`,
    { value: globs, remedy: "correct the patterns of the mapping, or name another folder of the dataset" },
  );
}
