import { SliceError } from "../contract/errors.js";
import { canonicalJson } from "../contract/slice/canonical-json.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import { monthOf } from "./month-of.js";
import type { Part } from "./partition.js";
import type { Staging } from "./staging.js";

/**
 * Assigns the slices to revise to parts, in the order of the parts: each goes to the part of its domain, platform, language and
 * month (UTC), or to the first part if there is no such part.
 * @throws SliceError `revision_empty` if there are no parts
 */
export function assignRevised(
  staging: Staging,
  parts: readonly Part[],
  revises: readonly SliceManifest[],
): SliceManifest[][] {
  const assigned: SliceManifest[][] = parts.map(() => []);
  for (const manifest of revises) {
    const { domain, platform, lang, from } = manifest.mirrorlake.filter;
    const month = monthOf(from, manifest.mirrorlake.root);
    const same = parts.findIndex(
      (part) =>
        part.platform === platform &&
        part.lang === lang &&
        part.month === month &&
        staging.platform(part.platform).domain === domain,
    );
    const into = assigned[Math.max(0, same)];
    if (into === undefined) {
      throw new SliceError("revision_empty", "There is nothing that could supersede the slices to revise", {
        value: manifest.mirrorlake.root,
        remedy: "give the input of the revision; to take slices out of a lake, use retention or takedowns",
      });
    }
    into.push(manifest);
  }
  return assigned;
}

/** Whether two slices have files of the same names and hashes, whatever their manifests say otherwise. */
export function sameFiles(a: SliceManifest, b: SliceManifest): boolean {
  const files = ({ resources }: SliceManifest) => resources.map(({ name, hash }) => `${name} ${hash}`).sort();
  return files(a).join() === files(b).join();
}

/** Whether two slices are the same but for what they revise: the files, and all else that their manifests say. */
export function isSameEdition(a: SliceManifest, b: SliceManifest): boolean {
  const said = ({ mirrorlake, ...manifest }: SliceManifest) => {
    const { root: _root, revision: _revision, supersedes: _supersedes, cutFrom: _cut, ...facts } = mirrorlake;
    return canonicalJson({ ...manifest, mirrorlake: facts });
  };
  return said(a) === said(b);
}

/** A manifest with the root and the lineage of one that {@link isSameEdition} finds the same. */
export function asRevised(manifest: SliceManifest, { mirrorlake }: SliceManifest): SliceManifest {
  const { root, revision, supersedes } = mirrorlake;
  return { ...manifest, mirrorlake: { ...manifest.mirrorlake, revision, supersedes, root } };
}
