import { readFile, stat } from "node:fs/promises";
import { checkArgument } from "../../contract/check-options.js";
import { MappingError, UsageError } from "../../contract/errors.js";
import { TextOption } from "../../contract/option-schemas.js";
import { compileMapping } from "../mapping/compile.js";
import type { Adapter } from "./adapter.js";
import { shippedAdapters } from "./shipped.js";

/**
 * Loads a shipped adapter by name, or a mapping file (a path that ends in `.json`).
 * @throws UsageError `unknown_adapter`; MappingError for a file that is unreadable or not a valid mapping, with the place
 */
export async function loadAdapter(nameOrFile: string): Promise<Adapter> {
  checkArgument(TextOption, nameOrFile, "nameOrFile", "loadAdapter");
  if (!nameOrFile.endsWith(".json")) {
    const adapters = shippedAdapters();
    const adapter = adapters.find(({ name }) => name === nameOrFile);
    if (adapter !== undefined) return adapter;
    throw new UsageError("unknown_adapter", `${JSON.stringify(nameOrFile)} is not an adapter`, {
      value: nameOrFile,
      remedy: `Name one of ${adapters.map(({ name }) => name).join(", ")}, or a mapping file that ends in .json.`,
    });
  }
  let document: unknown;
  try {
    // A pipe without a writer would hold a thread of the process for good.
    if ((await stat(nameOrFile)).isFIFO()) throw new Error("is a named pipe, not a file");
    document = JSON.parse(await readFile(nameOrFile, "utf8"));
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new MappingError("unreadable_mapping", `${nameOrFile}: ${message}`, {
      value: nameOrFile,
      remedy: "Give the path of a mapping file: one JSON document.",
      cause,
    });
  }
  return compileMapping(document);
}
