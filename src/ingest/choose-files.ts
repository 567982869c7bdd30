import { IngestError } from "../contract/errors.js";
import { formatCount } from "../contract/quantity.js";
import type { SourceSpec, UnreadFiles } from "./adapters/source-spec.js";
import type { Found } from "./readers/find-files.js";
import type { FoundFile } from "./readers/found-file.js";
import { compileGlobs } from "./readers/glob.js";
import type { FileNotRead } from "./readers/read-options.js";

/** A file and the source whose reader takes it. */
export interface ChosenFile {
  readonly file: FoundFile;
  readonly source: SourceSpec;
}

/** The files to read, in reading order, and the files left out. */
export interface Choice {
  readonly chosen: readonly ChosenFile[];
  readonly notRead: readonly FileNotRead[];
}

/**
 * Assigns each file to the first source whose globs match it. A file named by the user that matches no glob goes to the only
 * source of an adapter that has one source.
 *
 * @throws IngestError `nothing_to_read` when no file is left to read
 */
export function chooseFiles(
  found: Found,
  sources: readonly SourceSpec[],
  unread: readonly UnreadFiles[] = [],
): Choice {
  const tests = sources.map((source) => ({ source, matches: fileTest(source.files) }));
  const known = unread.map(({ files, reason }) => ({ matches: fileTest(files), reason }));
  const bySource = new Map(sources.map((source) => [source, [] as ChosenFile[]]));
  const notRead: FileNotRead[] = [...found.notReadable];
  for (const file of found.files) {
    const expected = known.find(({ matches }) => matches(file));
    const source =
      tests.find(({ matches }) => matches(file))?.source ??
      (file.named && expected === undefined && sources.length === 1 ? sources[0] : undefined);
    if (source !== undefined) bySource.get(source)!.push({ file, source });
    else if (expected !== undefined)
      notRead.push({ file: file.label, reason: expected.reason, expected: true });
    else
      notRead.push({
        file: file.label,
        reason: "matches none of the adapter's file patterns",
        expected: false,
      });
  }
  const chosen = [...bySource.values()].flat();
  if (chosen.length === 0) throw nothingToRead(found, sources, notRead);
  return { chosen, notRead };
}

function nothingToRead(
  found: Found,
  sources: readonly SourceSpec[],
  notRead: readonly FileNotRead[],
): IngestError {
  const value = notRead.map(({ file }) => file);
  const ellipsis = notRead.length > 5 ? ", …" : "";
  const listed = notRead.slice(0, 5);
  if (found.files.length === 0) {
    const reasons = listed.map(({ file, reason }) => `${file} ${reason}`).join(", ");
    return new IngestError("nothing_to_read", `There is no file to read: ${reasons}${ellipsis}`, {
      value,
      remedy: "name a file, or a folder or archive that holds some",
    });
  }
  const patterns = sources.flatMap(({ files }) => files).join(", ");
  const names = listed.map(({ file }) => file).join(", ");
  return new IngestError(
    "nothing_to_read",
    `No file of ${formatCount(notRead.length)} found matches the adapter's patterns (${patterns}): ${names}${ellipsis}`,
    { value, remedy: "choose another adapter, or correct the patterns of the mapping" },
  );
}

function fileTest(globs: readonly string[]): (file: FoundFile) => boolean {
  const matches = compileGlobs(globs);
  return ({ name, fullName }) => matches(name) || matches(fullName);
}
