import { INDEX_FORMAT_VERSION, type SliceIndexEntry } from "../contract/slice/slice-index.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";

/** The index entry of a slice. */
export function indexEntry({ name, title, licenses, resources, mirrorlake }: SliceManifest): SliceIndexEntry {
  const { root, filter, captured, counts, revision, supersedes, cutFrom } = mirrorlake;
  const { records, raw, vectors } = counts;
  return {
    root,
    name,
    title,
    bytes: resources.reduce((sum, { bytes }) => sum + bytes, 0),
    filter,
    captured,
    counts: { records, raw, vectors },
    licences: licenses.map((licence) => licence.title ?? licence.name ?? "other"),
    revision,
    supersedes,
    cutFrom,
  };
}

/** The text of `index.json` for some slices; it depends on them alone. */
export function indexText(manifests: readonly SliceManifest[]): string {
  const slices = manifests.map(indexEntry).toSorted(byPlace);
  return `${JSON.stringify({ formatVersion: INDEX_FORMAT_VERSION, slices }, null, 1)}\n`;
}

function byPlace(a: SliceIndexEntry, b: SliceIndexEntry): number {
  const key = ({ filter: { domain, platform, lang, from }, root }: SliceIndexEntry) =>
    [domain, platform, lang, from, root].join(" ");
  return key(a) < key(b) ? -1 : 1;
}
