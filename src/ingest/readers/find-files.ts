import type { Stats } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import { IngestError } from "../../contract/errors.js";
import { ingestError } from "../ingest-error.js";
import type { FoundFile, InputStream } from "./found-file.js";
import { pipeBytes } from "./pipe-bytes.js";
import { readAlready } from "./read-already.js";
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
  /** Sorted by label; a file that several names lead to is listed once, with its other names. */
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
  const places: Place[] = [];
  for (const [i, label] of inputLabels(inputs).entries()) places.push(await placeOf(inputs[i]!, label));
  for (const { path, stats, input, label, prefix } of outermostFirst(places)) {
    if (stats.isDirectory()) await walk.folder(path, { prefix, inside: "", input }, new Set());
    else if (stats.isFIFO()) walk.pipe(path, label, input);
    else await walk.file(path, stats, { label, name: input, input, named: true });
  }
  for (const stream of streams) walk.stream(stream);
  const files = walk.files();
  if (files.length + walk.notReadable.length === 0) {
    for (const { label } of places) walk.leaveOut(label, NO_FILES);
  }
  const byLabel = (a: { label: string }, b: { label: string }) => (a.label < b.label ? -1 : 1);
  return { files: files.sort(byLabel), notReadable: walk.notReadable };
}

/** An input on disk. */
interface Place {
  readonly path: string;
  readonly stats: Stats;
  /** Name of the file or folder itself. */
  readonly input: string;
  readonly label: string;
  /** What stands before the names in a folder. */
  readonly prefix: string;
}

async function placeOf(given: string, suffix: string): Promise<Place> {
  const path = resolve(given);
  const stats = await stat(path).catch((cause) => {
    throw new IngestError("input_not_found", `${given}: no such file or folder`, {
      value: given,
      remedy: "check the path",
      cause,
    });
  });
  const input = basename(path);
  return { path, stats, input, label: suffix || input, prefix: suffix && `${suffix}/` };
}

/** A file that a folder holds is read by its path in the folder: folders come first, those that hold others before them. */
function outermostFirst(places: readonly Place[]): Place[] {
  const depth = ({ path, stats }: Place) =>
    stats.isDirectory() ? path.split(sep).length : Number.POSITIVE_INFINITY;
  return [...places].sort((a, b) => (depth(a) === depth(b) ? 0 : depth(a) - depth(b)));
}

function streamAsFile({ name: label, bytes }: InputStream): FoundFile {
  const gzip = /\.gz$/i.test(label);
  const name = gzip ? label.slice(0, -3) : label;
  return { label, name, fullName: name, path: label, gzip, size: 0, named: true, bytes };
}

function pipedArchive(file: string, kind: "a pipe" | "a stream"): IngestError {
  return ingestError(
    "file_unreadable",
    { file },
    `cannot be read: it is ${kind}, and an archive is read from its end`,
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
  readonly notReadable: FileNotRead[] = [];
  /** The names of each file by what it is: its real path, or its stream. */
  private readonly found = new Map<unknown, FoundFile[]>();
  /** Label of each archive by its real path. */
  private readonly archives = new Map<string, string>();
  private readonly ignored: ReadonlySet<string>;

  constructor(private readonly options: FindOptions) {
    this.ignored = new Set(options.ignore.map((path) => resolve(path)));
  }

  /** @param identity equal for two names of one file */
  add(identity: unknown, file: FoundFile): void {
    const names = this.found.get(identity);
    if (names === undefined) this.found.set(identity, [file]);
    else names.push(file);
  }

  /** Every file once, by the name that was found first. */
  files(): FoundFile[] {
    return [...this.found.values()].map(([first, ...otherNames]) =>
      otherNames.length === 0 ? first! : { ...first!, otherNames },
    );
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
    if (/\.zip$/i.test(path)) {
      const sameAs = this.archives.get(real);
      if (sameAs !== undefined) return void this.notReadable.push(readAlready(as.label, sameAs));
      this.archives.set(real, as.label);
      return this.archiveIfReadable(path, stats.size, as.label);
    }
    const gzip = /\.gz$/i.test(as.name);
    const name = gzip ? as.name.slice(0, -3) : as.name;
    this.add(real, {
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
    if (/\.zip$/i.test(path)) this.orBadFile(label, pipedArchive(label, "a pipe"));
    else {
      const { signal, onWait } = this.options;
      const bytes = pipeBytes(path, signal, () => onWait?.(label));
      this.add(path, { ...streamAsFile({ name: input, bytes }), label, path });
    }
  }

  stream(stream: InputStream): void {
    if (/\.zip$/i.test(stream.name)) this.orBadFile(stream.name, pipedArchive(stream.name, "a stream"));
    else this.add(stream.bytes, streamAsFile(stream));
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
        this.add(memberLabel, {
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
