import { UsageError } from "./errors.js";

/** What the loader says of native code that is not there, or is of another system. */
const ABSENT: ReadonlySet<string | undefined> = new Set([
  "MODULE_NOT_FOUND",
  "ERR_MODULE_NOT_FOUND",
  "ERR_DLOPEN_FAILED",
]);

/**
 * Loads a package with native code.
 * @param name of the package, or of what it holds: `DuckDB`
 * @throws UsageError `addons_not_allowed` where Node.js may not load native code; `addon_missing` where it is not installed, or is that of
 * another system; the error of `load` otherwise
 */
export async function loadAddon<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const [why] = message.split("\n");
    if (code === "ERR_DLOPEN_DISABLED")
      throw new UsageError("addons_not_allowed", `${name} cannot be loaded: ${why}`, {
        value: name,
        remedy: "allow Node.js to load native code: node --allow-addons",
        cause,
      });
    if (!ABSENT.has(code)) throw cause;
    const system = `${process.platform}-${process.arch}`;
    throw new UsageError("addon_missing", `${name} cannot be loaded on ${system}: ${why}`, {
      value: name,
      remedy:
        "install where it runs, with optional packages, which native code is: npm install --include=optional; remove node_modules and the lock file first where they came from another system",
      cause,
    });
  }
}
