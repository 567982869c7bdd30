import { CATALOGUE } from "../../contract/service/catalogue.js";
import { Domain, PLATFORMS } from "../../contract/service/platforms.js";
import type { KnownValues } from "./command-tree.js";

/** Raw resources of the shipped catalogue, by platform slug. */
export function rawResources(): ReadonlyMap<string, readonly string[]> {
  const byPlatform = new Map<string, string[]>();
  for (const { platform, resource = "" } of CATALOGUE)
    if (platform !== undefined) byPlatform.set(platform, [...(byPlatform.get(platform) ?? []), resource]);
  return byPlatform;
}

/** Values that completion offers. A lake or a catalogue file may add others. */
export function knownValues(): KnownValues {
  return {
    "--domain": Domain.options,
    "--platform": PLATFORMS.map(({ slug }) => slug),
    "--group": [...new Set(CATALOGUE.map(({ group }) => group))],
    "--freshness": ["1h", "24h", "7d", "30d", "90d"],
    "--as-of": ["corpus", "system"],
    "--scope": ["search", "datasets", "account"],
    "search --format": ["records", "vectors+provenance"],
    "raw <platform>": [...rawResources().keys()],
  };
}
