import { UsageError } from "../contract/errors.js";

/**
 * Fills the `{name}` segments of a path from parameters, percent-encoded, and returns the remaining parameters. Only
 * imported and custom catalogue rows have such segments.
 * @throws UsageError `missing_path_parameter`; `invalid_path_parameter` for `.` and `..`, which a URL drops however they are encoded
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
    const text = String(value);
    if (text === "." || text === "..") {
      throw new UsageError("invalid_path_parameter", `${path} cannot have ${name} as "${text}"`, {
        value: text,
        remedy: `Give another ${name}: a URL cannot have "." or ".." as a part of its path.`,
      });
    }
    delete rest[name];
    return encodeURIComponent(text);
  });
  return { path: filled, params: rest };
}
