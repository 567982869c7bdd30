import type { Stats } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import { IngestError } from "../../contract/errors.js";
import { ingestError } from "../ingest-error.js";
import type { FoundFile, InputStream } from "./found-file.js";
import { pipeBytes } from "./pipe-bytes.js";
import type { BadFile, FileNotRead, IngestLimits } from "./read-options.js";
import { readZipDirectory } from "./zip-directory.js";

const NO_FILES = "holds no files";

/** Options of {@link findFiles}. */
export interface FindOptions {
  readonly limits: IngestLimits;
  /** Files and folders to skip. */
  readonly ignore: readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** Called with each archive that cannot be read. Absent: it throws. */
  readonly onBadFile?: ((file: BadFile) => void) | undefined;
  /** Called with each named pipe that is read before anything has opened it for writing. */
  readonly onWait?: ((file: string) => void) | undefined;
}

/** Result of {@link findFiles}. */
export interface Found {
  /** Sorted by label; a file reachable from two inputs is listed once. */
  readonly files: readonly FoundFile[];
  /** Entries that cannot be a source: broken links, sockets, archives inside archives, inputs without files. */
  readonly notReadable: readonly FileNotRead[];
}

/**
 * Lists every file of the inputs: files, folders recursively, and zip archives as folders. A named pipe is read only where it is an input
 * itself.
 *
 * @param given paths of files and folders, and streams of bytes
 * @throws IngestError `no_input`, `input_not_found`, or for a refused archive
 */
export async function findFiles(
  given: readonly (string | InputStream)[],
  options: FindOptions,
): Promise<Found> {
  const inputs = given.filter((input) => typeof input === "string");
  const streams = given.filter((input) => typeof input !== "string");
  if (given.length === 0) {
    throw new IngestError("no_input", "No input was given", { remedy: "name a file or a folder" });
  }
  const walk = new Walk(options);
  const labels: string[] = [];
  for (const [i, label] of inputLabels(inputs).entries()) {
    const path = resolve(inputs[i]!);
    const stats = await stat(path).catch((cause) => {
      throw new IngestError("input_not_found", `${inputs[i]}: no such file or folder`, {
        value: inputs[i],
        remedy: "check the path",
        cause,
      });
    });
    const input = basename(path);
    labels.push(label === "" ? input : label);
    if (stats.isDirectory()) {
      const prefix = label === "" ? "" : `${label}/`;
      await walk.folder(path, { prefix, inside: "", input }, new Set());
    } else if (stats.isFIFO()) {
      walk.pipe(path, labels[i]!, input);
    } else {
      await walk.file(path, stats, { label: labels[i]!, name: input, input, named: true });
    }
  }
  for (const stream of streams) walk.files.push(streamAsFile(stream));
  if (walk.files.length + walk.notReadable.length === 0) {
    for (const label of labels) walk.leaveOut(label, NO_FILES);
  }
  const byLabel = (a: { label: string }, b: { label: string }) => (a.label < b.label ? -1 : 1);
  return { files: walk.files.sort(byLabel), notReadable: walk.notReadable };
}

function streamAsFile({ name: label, bytes }: InputStream): FoundFile {
  const gzip = /\.gz$/i.test(label);
  const name = gzip ? label.slice(0, -3) : label;
  return { label, name, fullName: name, path: label, gzip, size: 0, named: true, bytes };
}

function pipedArchive(file: string): IngestError {
  return ingestError(
    "file_unreadable",
    { file },
    "cannot be read: it is a pipe, and an archive is read from its end",
    "write it to a file first",
  );
}

/** Labels of the inputs: none for a single input; else the shortest path suffixes that distinguish them. */
function inputLabels(inputs: readonly string[]): string[] {
  if (inputs.length === 1) return [""];
  const paths = [...new Set(inputs.map((input) => resolve(input)))];
  const longest = Math.max(...paths.map((path) => path.split(sep).length));
  for (let length = 1; ; length++) {
    const ends = paths.map((path) => path.split(sep).slice(-length).join("/"));
    if (new Set(ends).size < ends.length && length < longest) continue;
    return inputs.map((input) => ends[paths.indexOf(resolve(input))]!);
  }
}

class Walk {
  readonly files: FoundFile[] = [];
  readonly notReadable: FileNotRead[] = [];
  private readonly listed = new Set<string>();

  private readonly ignored: ReadonlySet<string>;

  constructor(private readonly options: FindOptions) {
    this.ignored = new Set(options.ignore.map((path) => resolve(path)));
  }

  /** @param above real paths of the enclosing folders; a link to one of them ends the descent */
  async folder(
    path: string,
    at: { prefix: string; inside: string; input: string },
    above: ReadonlySet<string>,
  ): Promise<void> {
    if (this.ignored.has(path)) return;
    this.options.signal?.throwIfAborted();
    const real = await realpath(path);
    if (above.has(real)) return this.leaveOut(at.prefix, "is a link to a folder around it");
    for (const name of (await readdir(path)).sort()) {
      const label = `${at.prefix}${name}`;
      const child = join(path, name);
      if (this.ignored.has(child)) continue;
      const stats = await stat(child).catch(() => undefined);
      if (stats === undefined) this.leaveOut(label, "is a broken link or cannot be examined");
      else if (stats.isDirectory()) {
        const inside = `${at.inside}${name}/`;
        await this.folder(child, { ...at, prefix: `${label}/`, inside }, new Set([...above, real]));
      } else if (stats.isFile()) {
        await this.file(child, stats, { label, name: `${at.inside}${name}`, input: at.input, named: false });
      } else this.leaveOut(label, "is no regular file");
    }
  }

  async file(
    path: string,
    stats: Stats,
    as: { label: string; name: string; input: string; named: boolean },
  ): Promise<void> {
    const real = await realpath(path);
    if (this.listed.has(real)) return;
    this.listed.add(real);
    if (/\.zip$/i.test(path)) return this.archiveIfReadable(path, stats.size, as.label);
    const gzip = /\.gz$/i.test(as.name);
    const name = gzip ? as.name.slice(0, -3) : as.name;
    this.files.push({
      label: as.label,
      name,
      fullName: as.named ? name : `${as.input}/${name}`,
      path,
      gzip,
      size: stats.size,
      named: as.named,
    });
  }

  /** A pipe may have no path of its own, as `/dev/fd/63`, and can be read once. */
  pipe(path: string, label: string, input: string): void {
    if (this.listed.has(path)) return;
    this.listed.add(path);
    if (/\.zip$/i.test(path)) this.orBadFile(label, pipedArchive(label));
    else {
      const { signal, onWait } = this.options;
      const bytes = pipeBytes(path, signal, () => onWait?.(label));
      this.files.push({ ...streamAsFile({ name: input, bytes }), label, path });
    }
  }

  private async archiveIfReadable(path: string, size: number, label: string): Promise<void> {
    try {
      await this.archive(path, size, label);
    } catch (error) {
      this.orBadFile(label, error);
    }
  }

  private orBadFile(label: string, error: unknown): void {
    const { onBadFile } = this.options;
    if (onBadFile === undefined || !(error instanceof IngestError)) throw error;
    onBadFile({ file: label, code: error.code, reason: error.message, rows: 0 });
  }

  private async archive(path: string, size: number, label: string): Promise<void> {
    const handle = await open(path).catch((cause) => {
      const reason = `cannot be read: ${(cause as Error).message}`;
      throw ingestError(
        "file_unreadable",
        { file: label },
        reason,
        "check the path and its permissions",
        cause,
      );
    });
    try {
      const members = await readZipDirectory(handle, size, label, this.options.limits);
      if (members.length === 0) this.leaveOut(label, NO_FILES);
      for (const member of members) {
        const memberLabel = `${label}!${member.name}`;
        if (/\.zip$/i.test(member.name)) {
          this.leaveOut(memberLabel, "is an archive inside an archive; unpack it");
          continue;
        }
        const gzip = /\.gz$/i.test(member.name);
        const name = gzip ? member.name.slice(0, -3) : member.name;
        this.files.push({
          label: memberLabel,
          name,
          fullName: `${basename(path)}/${name}`,
          path,
          member,
          gzip,
          size: member.compressedSize,
          named: false,
        });
      }
    } finally {
      await handle.close();
    }
  }

  leaveOut(file: string, reason: string): void {
    this.notReadable.push({ file, reason, expected: false });
  }
}
