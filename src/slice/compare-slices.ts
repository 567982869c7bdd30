import type { SliceManifest } from "../contract/slice/slice-manifest.js";

/** Compares slices as lists show them: by domain, platform, language, window and root. */
export function compareSlices(a: SliceManifest, b: SliceManifest): number {
  const key = ({ mirrorlake: { filter, root } }: SliceManifest) =>
    [filter.domain, filter.platform, filter.lang, filter.from, root].join("\u0000");
  const [x, y] = [key(a), key(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}
