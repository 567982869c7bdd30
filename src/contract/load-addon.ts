import { UsageError } from "./errors.js";

/**
 * Loads a package with native code.
 * @param name of the package, or of what it holds: `DuckDB`
 * @throws UsageError `addons_not_allowed` where Node.js may not load native code; the error of `load` otherwise
 */
export async function loadAddon<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException | undefined)?.code !== "ERR_DLOPEN_DISABLED") throw cause;
    throw new UsageError("addons_not_allowed", `${name} cannot be loaded: ${(cause as Error).message}`, {
      value: name,
      remedy: "allow Node.js to load native code: node --allow-addons",
      cause,
    });
  }
}
