import { createHash } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, posix } from "node:path";
import { PullError } from "../../contract/errors.js";
import type { SliceIndexEntry } from "../../contract/slice/slice-index.js";
import { MANIFEST_FILE, SliceManifest } from "../../contract/slice/slice-manifest.js";
import { syncHandle } from "../../files/durable-files.js";
import { INGEST_LIMITS } from "../../ingest/defaults.js";
import type { FoundFile } from "../../ingest/readers/found-file.js";
import { openBytes } from "../../ingest/readers/open-bytes.js";
import { readZipDirectory, type ZipMember } from "../../ingest/readers/zip-directory.js";
import { SETTINGS_FILE, SLICES_FOLDER } from "../../lake/lake-paths.js";
import { indexEntry } from "../../slice/write-slice-index.js";
import { PULL_DEFAULTS } from "../pull/defaults.js";
import { PARTIAL_SUFFIX } from "../pull/partial-file.js";
import type { TransferMeter } from "../pull/transfer-meter.js";
import type { SliceSource, SourceFile } from "./slice-source.js";

/** Slices in a zip archive: each folder in it, however deep, that holds a manifest. Members are never unpacked by name. */
export class ZipSource implements SliceSource {
  private constructor(
    readonly name: string,
    private readonly members: ReadonlyMap<string, ZipMember>,
    /** Folder of each slice in the archive, with the slash, by root. */
    private readonly folders: ReadonlyMap<string, string>,
    private readonly entries: readonly SliceIndexEntry[],
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** @throws IngestError for an archive that is damaged or unsafe; PullError `source_not_found`, `source_invalid`, `source_is_lake` */
  static async open(path: string, signal?: AbortSignal): Promise<ZipSource> {
    const handle = await open(path);
    let members: Map<string, ZipMember>;
    try {
      const { size } = await handle.stat();
      const list = await readZipDirectory(handle, size, basename(path), INGEST_LIMITS);
      members = new Map(list.map((member) => [member.name, member]));
    } finally {
      await handle.close();
    }
    refuseLake(path, members);
    const folders = new Map<string, string>();
    const entries: SliceIndexEntry[] = [];
    for (const name of members.keys()) {
      if (name !== MANIFEST_FILE && !name.endsWith(`/${MANIFEST_FILE}`)) continue;
      const manifest = parseManifest(await readMember(path, members.get(name)!, signal), `${path}!${name}`);
      if (folders.has(manifest.mirrorlake.root)) continue;
      folders.set(manifest.mirrorlake.root, name.slice(0, -MANIFEST_FILE.length));
      entries.push(indexEntry(manifest));
    }
    if (entries.length > 0) return new ZipSource(path, members, folders, entries, signal);
    throw new PullError(
      "source_not_found",
      `There is no slice in ${path}: no folder in it holds ${MANIFEST_FILE}`,
      {
        value: path,
        remedy: "give the archive of a folder that `mirrorlake publish` or `mirrorlake ingest` wrote",
      },
    );
  }

  async list(): Promise<readonly SliceIndexEntry[]> {
    return this.entries;
  }

  folder(): undefined {
    return undefined;
  }

  async manifest(root: string): Promise<Uint8Array> {
    return readMember(this.name, this.member(root, MANIFEST_FILE), this.signal);
  }

  async file(
    { root, path, bytes, sha256, label }: SourceFile,
    to: string,
    meter: TransferMeter,
  ): Promise<void> {
    const member = this.member(root, path);
    if (member.size !== bytes) throw this.corrupt(label, `it has ${member.size} bytes, not ${bytes}`);
    const partial = `${to}${PARTIAL_SUFFIX}`;
    const hash = createHash("sha256");
    await rm(partial, { force: true });
    const file = await open(partial, "wx");
    try {
      for await (const chunk of openBytes(found(this.name, member), this.openOptions)) {
        await file.writeFile(chunk);
        hash.update(chunk);
        meter.copied(chunk.length);
      }
      await syncHandle(file);
    } finally {
      await file.close();
    }
    if (hash.digest("hex") !== sha256) {
      await rm(partial);
      throw this.corrupt(label, "its SHA-256 is not that of the manifest");
    }
    await rename(partial, to);
  }

  private get openOptions() {
    return { limits: INGEST_LIMITS, signal: this.signal };
  }

  private member(root: string, path: string): ZipMember {
    const name = `${this.folders.get(root) ?? ""}${path}`;
    const member = this.members.get(name);
    if (member !== undefined) return member;
    throw new PullError("pull_not_found", `There is no ${name} in ${this.name}`, {
      value: name,
      remedy: "the archive is not whole; fetch it again",
    });
  }

  private corrupt(label: string, reason: string): PullError {
    return new PullError("file_corrupt", `${label} in ${this.name}: ${reason}`, {
      value: label,
      remedy: "the archive is damaged or was changed; fetch it again",
    });
  }
}

/** Refuses the archive of a lake: what was removed from the lake is still in its slices. */
function refuseLake(path: string, members: ReadonlyMap<string, ZipMember>): void {
  for (const name of members.keys()) {
    const { dir, base } = posix.parse(name);
    if (base !== SETTINGS_FILE) continue;
    const slices = posix.join(dir, SLICES_FOLDER, "/");
    if (![...members.keys()].some((each) => each.startsWith(slices))) continue;
    throw new PullError("source_is_lake", `${path} holds a lake, in ${dir || "its uppermost folder"}`, {
      value: path,
      remedy:
        "publish the lake (mirrorlake publish <lake> --out <folder>), and make an archive of the published folder",
    });
  }
}

async function readMember(path: string, member: ZipMember, signal: AbortSignal | undefined): Promise<Buffer> {
  if (member.size > PULL_DEFAULTS.maxManifestBytes) {
    throw new PullError(
      "source_invalid",
      `${member.name} in ${path} has ${member.size} bytes: no manifest has`,
      {
        value: member.name,
        remedy: "do not trust the archive",
      },
    );
  }
  const chunks: Buffer[] = [];
  const options = { limits: INGEST_LIMITS, signal };
  for await (const chunk of openBytes(found(path, member), options)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parseManifest(bytes: Buffer, label: string): SliceManifest {
  try {
    return SliceManifest.parse(JSON.parse(bytes.toString("utf8")));
  } catch (cause) {
    throw new PullError("source_invalid", `${label} is no manifest of a slice`, {
      value: label,
      remedy: "give the archive of a folder that `mirrorlake publish` or `mirrorlake ingest` wrote",
      cause,
    });
  }
}

function found(path: string, member: ZipMember): FoundFile {
  const { name } = member;
  const label = `${basename(path)}!${name}`;
  return {
    label,
    name,
    fullName: name,
    path,
    member,
    gzip: false,
    size: member.compressedSize,
    named: false,
  };
}
