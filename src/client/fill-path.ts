import { UsageError } from "../contract/errors.js";

/**
 * Fills the `{name}` segments of a path from parameters, percent-encoded, and returns the remaining parameters. Only
 * imported and custom catalogue rows have such segments.
 * @throws UsageError `missing_path_parameter`
 */
export function fillPath(
  path: string,
  params: Readonly<Record<string, unknown>>,
): { readonly path: string; readonly params: Readonly<Record<string, unknown>> } {
  if (!path.includes("{")) return { path, params };
  const rest = { ...params };
  const filled = path.replace(/\{([^}]+)\}/g, (_segment, name: string) => {
    const value = params[name];
    if (value === undefined || value === null || value === "") {
      throw new UsageError("missing_path_parameter", `${path} needs the parameter ${name}`, {
        value: name,
        remedy: `Give ${name}, which is part of the path.`,
      });
    }
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  return { path: filled, params: rest };
}
