import { PullError, UsageError } from "../../contract/errors.js";
import { INDEX_FILE, type SliceIndexEntry } from "../../contract/slice/slice-index.js";
import { MANIFEST_FILE } from "../../contract/slice/slice-manifest.js";
import { PULL_DEFAULTS } from "../pull/defaults.js";
import { downloadFile } from "../pull/download-file.js";
import type { AttemptPolicy } from "./attempts.js";
import { type HttpClient, safeUrl } from "./http-client.js";
import { parseIndex } from "./parse-index.js";
import { readDocument } from "./read-document.js";
import type { SliceSource } from "./slice-source.js";

/** Folder of the files beside `/v1` that a Mirrorlake server serves. */
const SERVED_FOLDER = "datasets/";

/** A published folder on a file host, or a Mirrorlake server. */
export class HttpSource implements SliceSource {
  private base: string;

  constructor(
    readonly name: string,
    private readonly client: HttpClient,
    private readonly policy: AttemptPolicy,
    /** Address of the folder, where the name does not say it. */
    address = name,
  ) {
    this.base = baseOf(address);
  }

  async list() {
    const own = new URL(INDEX_FILE, this.base).href;
    const served = new URL(`${SERVED_FOLDER}${INDEX_FILE}`, this.base).href;
    // Somebody who gives the address of the calls means their server, which asks for a key in every path below it.
    const isOfCalls = this.base.endsWith("/v1/");
    const beside = isOfCalls ? [new URL(`../${SERVED_FOLDER}${INDEX_FILE}`, this.base).href] : [];
    const passedOver: readonly string[] = isOfCalls
      ? ["pull_not_found", "pull_unauthorized"]
      : ["pull_not_found"];
    let refusal: PullError | undefined;
    for (const url of [own, ...beside, served]) {
      try {
        const entries = await this.readIndex(url);
        this.base = new URL(".", url).href;
        return entries;
      } catch (error) {
        if (!(error instanceof PullError) || !passedOver.includes(error.code)) throw error;
        if (error.code === "pull_unauthorized") refusal ??= error;
      }
    }
    if (refusal !== undefined) throw refusal;
    throw new PullError("source_not_found", `There is no ${INDEX_FILE} at ${safeUrl(this.base)}`, {
      value: safeUrl(this.name),
      remedy:
        "give the address of a folder that `mirrorlake publish` wrote, or of a server that `mirrorlake serve` runs",
    });
  }

  folder(): undefined {
    return undefined;
  }

  async manifest(root: string): Promise<Uint8Array> {
    return this.read(this.url(root, MANIFEST_FILE), PULL_DEFAULTS.maxManifestBytes);
  }

  async file(
    file: Parameters<SliceSource["file"]>[0],
    to: string,
    meter: Parameters<SliceSource["file"]>[2],
  ) {
    await downloadFile(this.client, this.url(file.root, file.path), to, file, { ...this.policy, meter });
  }

  /** Reads the index, again if it is invalid: it may have been truncated or changed in transit. */
  private async readIndex(url: string): Promise<readonly SliceIndexEntry[]> {
    for (let restarts = 0; ; restarts++) {
      const bytes = await this.read(url, PULL_DEFAULTS.maxIndexBytes, PULL_DEFAULTS.firstRetries);
      try {
        return parseIndex(bytes, url);
      } catch (error) {
        const isDamaged = error instanceof PullError && error.code === "source_invalid";
        if (!isDamaged || restarts >= PULL_DEFAULTS.restarts) throw error;
      }
    }
  }

  private url(root: string, path: string): string {
    return new URL(`${root}/${path}`, this.base).href;
  }

  private async read(url: string, maxBytes: number, unreachableRetries?: number): Promise<Uint8Array> {
    const policy = unreachableRetries === undefined ? this.policy : { ...this.policy, unreachableRetries };
    return (await readDocument(this.client, url, maxBytes, policy)).bytes;
  }
}

/** The folder of an address: that of its `index.json`, or the address itself. */
function baseOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw notAnAddress(address, "it is no http(s) URL");
  if (url.username !== "" || url.password !== "")
    throw notAnAddress(address, "it holds a password; give --key instead");
  if (url.search !== "" || url.hash !== "") throw notAnAddress(address, "it has a query");
  if (/\.zip$/i.test(url.pathname))
    throw notAnAddress(address, "it is an archive; download it and pull from the file");
  if (!url.pathname.endsWith(`/${INDEX_FILE}`) && !url.pathname.endsWith("/")) url.pathname += "/";
  return new URL(".", url).href;
}

function notAnAddress(address: string, reason: string): UsageError {
  return new UsageError("invalid_source", `Cannot pull from ${safeUrl(address)}: ${reason}`, {
    value: safeUrl(address),
    remedy: "give the address of a published folder, a server, a folder on disk, or a .zip on disk",
  });
}
