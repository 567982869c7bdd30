import { rm, stat } from "node:fs/promises";
import { hashFile } from "../../files/durable-files.js";
import { type AttemptPolicy, Attempts } from "../source/attempts.js";
import type { HttpAnswer, HttpClient } from "../source/http-client.js";
import { TransferFault } from "../source/transfer-fault.js";
import { PULL_DEFAULTS } from "./defaults.js";
import { type ExpectedFile, PartialFile } from "./partial-file.js";
import type { TransferMeter } from "./transfer-meter.js";

/**
 * Fetches a file, going on where an earlier attempt or process ended, until its size and SHA-256 are right. A resumed
 * request names the version that the bytes at hand are of (`If-Range`, RFC 9110 section 13.1.5), so that two versions are
 * never joined; what the source then says of the part must fit, and the hash has the last word.
 * @param to path of the file; beside it stands what is on its way
 * @throws PullError when the file cannot be had; the signal's reason
 */
export async function downloadFile(
  client: HttpClient,
  url: string,
  to: string,
  expected: ExpectedFile,
  context: AttemptPolicy & { readonly meter: TransferMeter },
): Promise<void> {
  if (await isThere(to, expected, context)) return;
  const partial = await PartialFile.open(to, expected, context.meter, context.signal);
  try {
    await complete(client, url, partial, expected, context);
    await partial.finish();
  } catch (error) {
    await partial.close();
    throw error;
  }
}

async function complete(
  client: HttpClient,
  url: string,
  partial: PartialFile,
  expected: ExpectedFile,
  context: AttemptPolicy,
): Promise<void> {
  const attempts = new Attempts(expected.label, context);
  let mismatches = 0;
  while (!partial.isRight) {
    if (partial.isFull) await partial.restart();
    const before = partial.size;
    try {
      await client.exchange(url, rangeHeaders(partial), (answer) => take(answer, partial, expected));
    } catch (error) {
      if (!(error instanceof TransferFault)) throw error;
      if (partial.size - before >= PULL_DEFAULTS.progressBytes) attempts.progressed();
      // The partial file itself may be wrong: restart after the second mismatch.
      if (error.kind === "mismatch" && ++mismatches > 1) await partial.restart();
      await attempts.after(error);
      continue;
    }
    if (partial.isFull && !partial.isRight) {
      await partial.restart();
      await attempts.after(new TransferFault("corrupt", "its SHA-256 is not that of the manifest"));
    }
  }
}

function rangeHeaders({ size, validator }: PartialFile): Record<string, string> {
  return size > 0 && validator !== undefined ? { Range: `bytes=${size}-`, "If-Range": validator } : {};
}

/** Appends the body of an answer to the partial file, if it is the expected one. */
async function take(answer: HttpAnswer, partial: PartialFile, expected: ExpectedFile): Promise<void> {
  if (answer.status === 206) checkPart(answer, partial, expected);
  else if (answer.status === 200) {
    checkLength(answer, expected);
    await partial.restart(validatorOf(answer));
  } else throw new TransferFault("mismatch", "the source has no such part of it");
  for await (const chunk of answer.body) {
    if (partial.size + chunk.length > expected.bytes) {
      await partial.restart();
      throw new TransferFault("mismatch", `more than its ${expected.bytes} bytes came`);
    }
    await partial.append(chunk);
  }
  if (!partial.isFull)
    throw new TransferFault(
      "interrupted",
      `the answer ended after ${partial.size} of ${expected.bytes} bytes`,
    );
}

function checkPart(answer: HttpAnswer, { size, validator }: PartialFile, expected: ExpectedFile): void {
  const range = answer.header("content-range") ?? "";
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(range) ?? [];
  const isNext =
    size > 0 &&
    Number(first) === size &&
    Number(last) < expected.bytes &&
    (total === "*" || Number(total) === expected.bytes);
  if (!isNext)
    throw new TransferFault("mismatch", `the source sent another part of it (${range || "unnamed"})`);
  const etag = answer.header("etag");
  if (etag !== undefined && validator?.startsWith('"') && etag !== validator)
    throw new TransferFault("mismatch", "the source sent a part of another version of it");
}

function checkLength(answer: HttpAnswer, expected: ExpectedFile): void {
  const length = answer.header("content-length");
  if (length === undefined || isEncoded(answer) || Number(length) === expected.bytes) return;
  throw new TransferFault(
    "mismatch",
    `the source says that it has ${length} bytes, the manifest ${expected.bytes}`,
  );
}

/**
 * What `If-Range` may name: a strong ETag, else a Last-Modified that is strong, that is at least a second older than the
 * answer (RFC 9110 sections 8.8.1 and 8.8.2.2). Nothing for a body that was compressed on the way: its ranges are others.
 */
function validatorOf(answer: HttpAnswer): string | undefined {
  if (isEncoded(answer)) return undefined;
  const etag = answer.header("etag");
  if (etag !== undefined) return /^"[^"]*"$/.test(etag) ? etag : undefined;
  const modified = answer.header("last-modified");
  const age = Date.parse(answer.header("date") ?? "") - Date.parse(modified ?? "");
  return age >= 1000 ? modified : undefined;
}

function isEncoded(answer: HttpAnswer): boolean {
  return (answer.header("content-encoding") ?? "identity") !== "identity";
}

async function isThere(
  path: string,
  { bytes, sha256 }: ExpectedFile,
  { meter, signal }: { readonly meter: TransferMeter; readonly signal?: AbortSignal | undefined },
): Promise<boolean> {
  const size = await stat(path).then(
    (stats) => stats.size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    },
  );
  if (size === undefined) return false;
  if (size === bytes && (await hashFile(path, { signal })).sha256 === sha256) {
    meter.kept(size);
    return true;
  }
  await rm(path);
  return false;
}
