import { IngestError } from "../contract/errors.js";
import { formatCount } from "../contract/quantity.js";
import type { SourceSpec, UnreadFiles } from "./adapters/source-spec.js";
import type { Found } from "./readers/find-files.js";
import type { FoundFile } from "./readers/found-file.js";
import { compileGlobs } from "./readers/glob.js";
import { readAlready } from "./readers/read-already.js";
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
 * source of an adapter that has one source. A file with several names is read once, by the first of them that a source takes.
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
  const sourceOf = (file: FoundFile) =>
    tests.find(({ matches }) => matches(file))?.source ??
    (file.named && sources.length === 1 && !known.some(({ matches }) => matches(file))
      ? sources[0]
      : undefined);
  const bySource = new Map(sources.map((source) => [source, [] as ChosenFile[]]));
  const notRead: FileNotRead[] = [...found.notReadable];
  for (const first of found.files) {
    const names = [first, ...(first.otherNames ?? [])];
    const file = names.find((name) => sourceOf(name) !== undefined);
    const expected = known.find(({ matches }) => names.some(matches));
    if (file !== undefined) {
      const source = sourceOf(file)!;
      bySource.get(source)!.push({ file, source });
      for (const name of names) {
        if (name !== file) notRead.push(readAlready(name.label, file.label, sourceOf(name) === undefined));
      }
    } else if (expected !== undefined)
      notRead.push({ file: first.label, reason: expected.reason, expected: true });
    else
      notRead.push({
        file: first.label,
        reason: "matches none of the adapter's file patterns",
        expected: false,
      });
  }
  const byLabel = (a: ChosenFile, b: ChosenFile) => (a.file.label < b.file.label ? -1 : 1);
  const chosen = [...bySource.values()].flatMap((files) => files.sort(byLabel));
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
