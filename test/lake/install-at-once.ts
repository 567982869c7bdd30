import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { InstallOptions } from "../../src/lake/install/install-options.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { lakeSlices } from "../../src/lake/lake-slices.js";

/** Makes a lake that gets what another one has at once. */
export async function installAtOnce(
  lake: string,
  once: string,
  options: Partial<InstallOptions>,
): Promise<string> {
  await rm(once, { recursive: true, force: true });
  const roots = (await lakeSlices(lake)).map(({ mirrorlake }) => join(lake, "slices", mirrorlake.root));
  await installSlices(roots, { lake: once, ...options });
  return once;
}
