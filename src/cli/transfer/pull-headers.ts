import { UsageError } from "../../contract/errors.js";

/** Environment variable with headers of every request to the source, one `Name: value` a line. */
export const HEADERS_VARIABLE = "MIRRORLAKE_PULL_HEADERS";

/** Reads the headers of that variable; undefined if it has none. @throws UsageError `bad_headers`; its message does not have the values */
export function createPullHeaders(text: string | undefined): Readonly<Record<string, string>> | undefined {
  const lines = (text ?? "").split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length === 0) return undefined;
  return Object.fromEntries(
    lines.map((line, i) => {
      const [, name, value] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) return [name, value];
      throw new UsageError("bad_headers", `Line ${i + 1} of $${HEADERS_VARIABLE} is not a header`, {
        remedy: "write one `Name: value` a line",
      });
    }),
  );
}
