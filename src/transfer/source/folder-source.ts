import { PullError } from "../../contract/errors.js";
import type { SliceIndexEntry } from "../../contract/slice/slice-index.js";
import { type FoundSlice, findSlices } from "../../lake/find-slices.js";
import { sliceFolders } from "../../lake/slice-folders.js";
import { indexEntry } from "../../slice/write-slice-index.js";
import type { SliceSource } from "./slice-source.js";

/** Slices in a folder of this machine: published, written by an ingest, or a lake's. They are installed from where they are. */
export class FolderSource implements SliceSource {
  private constructor(
    readonly name: string,
    private readonly slices: ReadonlyMap<string, FoundSlice>,
  ) {}

  /** @throws LakeError `slices_not_found`, `lake_empty`; SliceError for a manifest that is not valid */
  static async open(dir: string): Promise<FolderSource> {
    const found = await findSlices(await sliceFolders([dir]));
    return new FolderSource(dir, new Map(found.map((slice) => [slice.manifest.mirrorlake.root, slice])));
  }

  async list(): Promise<readonly SliceIndexEntry[]> {
    return [...this.slices.values()].map(({ manifest }) => indexEntry(manifest));
  }

  folder(root: string): string | undefined {
    return this.slices.get(root)?.dir;
  }

  manifest(root: string): Promise<Uint8Array> {
    return Promise.reject(this.standsHere(root));
  }

  file({ root }: { readonly root: string }): Promise<void> {
    return Promise.reject(this.standsHere(root));
  }

  private standsHere(root: string): PullError {
    return new PullError("pull_not_found", `There is no slice ${root.slice(0, 12)} in ${this.name}`, {
      value: root,
      remedy: "check the folder",
    });
  }
}
