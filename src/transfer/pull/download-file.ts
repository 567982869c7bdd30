import { rm, stat } from "node:fs/promises";
import { readPieces } from "../../files/read-pieces.js";
import { type AttemptPolicy, Attempts } from "../source/attempts.js";
import type { HttpAnswer, HttpClient } from "../source/http-client.js";
import { TransferFault } from "../source/transfer-fault.js";
import { PULL_DEFAULTS } from "./defaults.js";
import { type ExpectedFile, newHash, PartialFile } from "./partial-file.js";
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
    const length = isEncoded(answer) ? undefined : answer.header("content-length");
    if (length !== undefined) partial.announce(Number(length));
  } else throw new TransferFault("mismatch", "the source has no such part of it");
  for await (const chunk of answer.body) {
    const total = partial.total ?? PULL_DEFAULTS.maxFileBytes;
    if (partial.size + chunk.length > total) {
      await partial.restart();
      throw new TransferFault("mismatch", `more than its ${total} bytes came`);
    }
    await partial.append(chunk);
  }
  // Of an answer without a length, its framing says that it is whole.
  if (partial.total === undefined) partial.announce(partial.size);
  if (!partial.isFull)
    throw new TransferFault(
      "interrupted",
      `the answer ended after ${partial.size} of ${partial.total} bytes`,
    );
}

function checkPart(answer: HttpAnswer, partial: PartialFile, expected: ExpectedFile): void {
  const { size, validator } = partial;
  const range = answer.header("content-range") ?? "";
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(range) ?? [];
  const whole = expected.bytes ?? Number(total);
  const isNext =
    size > 0 &&
    Number(first) === size &&
    Number(last) < whole &&
    (Number(total) === whole || (total === "*" && expected.bytes !== undefined));
  if (!isNext)
    throw new TransferFault("mismatch", `the source sent another part of it (${range || "unnamed"})`);
  const etag = answer.header("etag");
  if (etag !== undefined && validator?.startsWith('"') && etag !== validator)
    throw new TransferFault("mismatch", "the source sent a part of another version of it");
  partial.announce(whole);
}

function checkLength(answer: HttpAnswer, expected: ExpectedFile): void {
  const length = answer.header("content-length");
  if (length === undefined || isEncoded(answer) || expected.bytes === undefined) return;
  if (Number(length) === expected.bytes) return;
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
  expected: ExpectedFile,
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
  if (size === (expected.bytes ?? size) && (await hasHash(path, expected, signal))) {
    meter.kept(size);
    return true;
  }
  await rm(path);
  return false;
}

async function hasHash(path: string, expected: ExpectedFile, signal?: AbortSignal): Promise<boolean> {
  const want = expected.sha256 ?? expected.gitBlob;
  if (want === undefined) return true;
  const hash = newHash(expected);
  for await (const piece of readPieces(path)) {
    signal?.throwIfAborted();
    hash.update(piece);
  }
  return hash.digest("hex") === want;
}
