import type { FileNotRead } from "./read-options.js";

/**
 * A name of a file that is read by another.
 * @param expected whether it would not have been read by this name
 */
export function readAlready(file: string, sameAs: string, expected = false): FileNotRead {
  const reason =
    file === sameAs
      ? "is named more than once; it is read once"
      : `is the same file as ${sameAs}; it is read once`;
  return { file, reason, expected, sameAs };
}
