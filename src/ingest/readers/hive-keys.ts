/**
 * Parses the `key=value` folders of a path, as Hive-style partitioning writes them. Values are percent-decoded strings;
 * `__HIVE_DEFAULT_PARTITION__` is null. Returns undefined if there are none.
 *
 * @param path `/`-separated; its last segment is the file
 */
export function hiveKeys(path: string): Readonly<Record<string, string | null>> | undefined {
  const entries = path
    .split("/")
    .slice(0, -1)
    .map((segment) => /^([^=]+)=(.*)$/s.exec(segment))
    .filter((match) => match !== null)
    .map(([, key, value]) => [decode(key!), value === "__HIVE_DEFAULT_PARTITION__" ? null : decode(value!)]);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
