import { createHash } from "node:crypto";
import { open, readFile, stat } from "node:fs/promises";
import { z } from "zod";
import type { Account } from "../../account/account.js";
import { checkArgument } from "../../contract/check-options.js";
import { LakeError } from "../../contract/errors.js";
import { DATASETS_INDEX, DATASETS_PATH } from "../../contract/slice/dataset-paths.js";
import { MANIFEST_FILE, type SliceManifest } from "../../contract/slice/slice-manifest.js";
import type { LakeHandle } from "../../lake/lake-handle.js";
import { lakePaths } from "../../lake/lake-paths.js";
import { CLIENT_DEFAULTS } from "../defaults.js";

/** A downloadable file. */
export interface ServedFile {
  readonly bytes: number;
  /** SHA-256 of the file, 64 hexadecimal digits. */
  readonly sha256: string;
  readonly mediaType: string;
  /** True if the content at its path never changes. */
  readonly immutable: boolean;
  /**
   * Reads bytes `first` to `last`, both inclusive.
   * @throws LakeError `slice_withheld` if the slice is withheld, even during a download
   */
  read(first: number, last: number): AsyncIterable<Uint8Array>;
}

/** Access to the files of a lake's slices, for callers with a key. */
export interface SliceFiles {
  /** Checks that a key is known and has the scope `datasets`. */
  authorize(apiKey: string | undefined): Promise<"ok" | "unknown" | "forbidden">;
  /**
   * Finds the file at a path such as `/datasets/index.json`; undefined if there is none.
   * @throws LakeError `slice_damaged`
   */
  find(path: string): Promise<ServedFile | undefined>;
}

const FILE = new RegExp(`^${DATASETS_PATH}([0-9a-f]{64})/([A-Za-z0-9][A-Za-z0-9._-]*)$`);

/** An open lake whose files are handed out, and the account that knows who may have them. */
export interface LakeOfFiles {
  readonly lake: LakeHandle;
  readonly account: Account;
}

const LakeOption = z.custom<LakeOfFiles>(
  (value) => typeof value === "object" && value !== null && "lake" in value && "account" in value,
  "must be an open lake: await openLake(path)",
);

/**
 * Provides the files of an open lake's slices in the layout of a published folder: the slices of the open generation,
 * without withheld ones. Pass it to {@link startServer} as `files`.
 * @throws UsageError `invalid_argument`
 */
export function sliceFiles(lake: LakeOfFiles): SliceFiles {
  checkArgument(LakeOption, lake, "lake", "sliceFiles");
  const opened = lake.lake;
  const paths = lakePaths(opened.path);
  const served = () => {
    const { withheld } = opened;
    const { manifests } = opened.corpus.slices({ offset: 0, limit: Number.MAX_SAFE_INTEGER });
    return manifests.filter(({ mirrorlake }) => !withheld.has(mirrorlake.root));
  };
  const dirOf = (manifest: SliceManifest) => paths.slice(manifest.mirrorlake.root);
  const check = (root: string) => () => {
    if (opened.withheld.has(root)) throw withheld(root);
  };
  return {
    authorize: (apiKey) => authorize(lake.account, apiKey),
    find: async (path) => {
      if (path === DATASETS_INDEX) {
        const { indexText } = await import("../../slice/write-slice-index.js");
        return textFile(indexText(served()), false);
      }
      const [, root, name] = FILE.exec(path) ?? [];
      const manifest =
        root === undefined ? undefined : served().find(({ mirrorlake }) => mirrorlake.root === root);
      if (manifest === undefined) return undefined;
      if (name === MANIFEST_FILE) return textFile(await readFile(`${dirOf(manifest)}/${name}`), true);
      const resource = manifest.resources.find((candidate) => candidate.path === name);
      if (resource === undefined) return undefined;
      const { bytes, hash, mediatype: mediaType } = resource;
      const file = `${dirOf(manifest)}/${resource.path}`;
      const sha256 = hash.slice("sha256:".length);
      const { size } = await stat(file);
      if (size !== bytes) throw damaged(file, `it has ${size} bytes, not ${bytes}`);
      const read: ServedFile["read"] = (first, last) => readPart(file, first, last, check(root!));
      return { bytes, sha256, mediaType, immutable: true, read };
    },
  };
}

/** Authenticates a key without counting a call in the rate window, because one pull requests many files. */
async function authorize(account: Account, apiKey: string | undefined) {
  const principal = await account.authenticate(apiKey);
  if (principal === undefined) return "unknown";
  return account.permits(principal, "datasets") ? "ok" : "forbidden";
}

function textFile(text: string | Uint8Array, immutable: boolean): ServedFile {
  const content = Buffer.from(text);
  return {
    bytes: content.length,
    sha256: createHash("sha256").update(content).digest("hex"),
    mediaType: "application/json",
    immutable,
    read: async function* (first, last) {
      yield content.subarray(first, last + 1);
    },
  };
}

async function* readPart(
  path: string,
  first: number,
  last: number,
  check: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  const file = await open(path, "r");
  try {
    const stream = file.createReadStream({
      start: first,
      end: last,
      highWaterMark: CLIENT_DEFAULTS.fileChunkBytes,
      autoClose: false,
    });
    for await (const chunk of stream) {
      check();
      yield chunk as Buffer;
    }
  } finally {
    await file.close();
  }
}

function withheld(root: string): LakeError {
  return new LakeError("slice_withheld", `Slice ${root} contains records removed from the lake`, {
    value: root,
    remedy: "Run `mirrorlake compact`, which replaces the slice by a revision without them.",
  });
}

function damaged(path: string, reason: string): LakeError {
  return new LakeError("slice_damaged", `${path} is damaged: ${reason}`, {
    value: path,
    remedy: "Pull or install the slice again.",
  });
}
