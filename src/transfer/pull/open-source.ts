import { stat } from "node:fs/promises";
import { z } from "zod";
import { PullError } from "../../contract/errors.js";
import {
  CountOption,
  FlagOption,
  MillisecondsOption,
  objectOption,
  TextOption,
} from "../../contract/option-schemas.js";
import { type DatasetAddress, parseDatasetAddress } from "../dataset/dataset-address.js";
import type { PullEnvironment } from "../source/environment.js";
import { FolderSource } from "../source/folder-source.js";
import { HttpSource } from "../source/http-source.js";
import { openClient } from "../source/open-client.js";
import type { SliceSource } from "../source/slice-source.js";
import { ZipSource } from "../source/zip-source.js";

/** Options of transfers over a network. */
export interface TransferOptions {
  /** API key of the server, where it demands one. */
  readonly key?: string;
  /** Headers of every request to the source's origin, such as those of a storage service; another origin never gets them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Files fetched at a time; 4 by default. */
  readonly concurrency?: number;
  /** Most bytes a second, all files together; no limit by default. */
  readonly maxBytesPerSecond?: number;
  /** Time in which fewer than 4,096 bytes come, after which a connection is given up and the file resumed, ms; 30 s by default. */
  readonly stallMs?: number;
  /** Attempts in a row that may bring nothing; 8 by default. */
  readonly retries?: number;
  /** Refuse sources that need a network. */
  readonly offline?: boolean;
  /** Clock, sleep, randomness, network, free space. Default: the system's. */
  readonly environment?: PullEnvironment;
}

/** Name of a header (RFC 9110 section 5.1). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HeaderValue = z.string().refine((value) => !/[\r\n\0]/.test(value), "must have no line end");

/** Schemas of {@link TransferOptions}. */
export const transferShape = () => ({
  key: TextOption.optional(),
  headers: z.record(z.string().regex(HEADER_NAME, "must be the name of a header"), HeaderValue).optional(),
  concurrency: CountOption.min(1).optional(),
  maxBytesPerSecond: z.number().positive().optional(),
  stallMs: MillisecondsOption.optional(),
  retries: CountOption.optional(),
  offline: FlagOption.optional(),
  environment: objectOption<PullEnvironment>(
    ["now", "random", "sleep", "timer", "fetch", "freeBytes"],
    "an environment: { ...systemEnvironment, … }",
  ).optional(),
});

/** Whether a source is an address on a network. */
export function isAddress(source: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(source);
}

/**
 * Opens what slices are pulled from: an http(s) address, a folder, a zip archive.
 * @throws UsageError `invalid_source`; PullError `source_not_found`, `offline`, `source_invalid`
 */
export async function openSource(
  source: string,
  options: TransferOptions,
  signal?: AbortSignal,
): Promise<SliceSource> {
  if (isAddress(source)) return openAddress(source, options, signal);
  const stats = await stat(source).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT" && cause.code !== "ENOTDIR") throw cause;
    throw new PullError("source_not_found", `There is no ${source}`, {
      value: source,
      remedy: "give an http(s) address, a folder, or a .zip",
      cause,
    });
  });
  if (stats.isDirectory()) return FolderSource.open(source);
  // A named pipe would be waited for, without an end.
  if (stats.isFile()) return ZipSource.open(source, signal);
  throw new PullError("source_invalid", `${source} is neither a folder nor a file`, {
    value: source,
    remedy: "give an http(s) address, a folder, or a .zip",
  });
}

function openAddress(source: string, options: TransferOptions, signal: AbortSignal | undefined): SliceSource {
  const dataset = parseDatasetAddress(source);
  const folder = dataset?.layout === "huggingface" ? folderOnHub(dataset) : source;
  const { client, policy } = openClient(source, new URL(folder).origin, options, signal);
  return new HttpSource(source, client, policy, folder);
}

/** Address of a folder on a Hugging Face hub, where files are asked for by their paths. */
function folderOnHub({
  hub,
  id,
  revision,
  folder,
}: DatasetAddress & { readonly layout: "huggingface" }): string {
  const path = [encodeURIComponent(revision), ...folder.split("/").map(encodeURIComponent)].filter(Boolean);
  return `${hub}/datasets/${id}/resolve/${path.join("/")}/`;
}
