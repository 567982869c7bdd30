import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { IngestError } from "../../src/contract/errors.js";
import type { Reject } from "../../src/ingest/adapters/adapter.js";
import type { ReadOptions, SourceSpec } from "../../src/ingest/adapters/source-spec.js";
import { type GuessedMapping, guessMapping } from "../../src/ingest/guess/guess-mapping.js";
import type { InputStream } from "../../src/ingest/readers/found-file.js";
import type { FileNotRead, ReadSourceOptions } from "../../src/ingest/readers/read-options.js";
import { readSource } from "../../src/ingest/readers/read-source.js";
import type { SourceRow } from "../../src/ingest/readers/source-row.js";
import { capture } from "../cli/capture.js";

/** The text of a mapping of rows of news. */
export function rowsMapping(rules: readonly object[], sources: readonly object[]): string {
  return JSON.stringify({
    mapping: 1,
    name: "rows",
    info: { title: "Rows", licence: "CC0-1.0" },
    sources,
    defaults: { platform: "global-news", lang: { value: "en" } },
    rules,
  });
}

/** A folder of its own for a test; `write` makes files in it, `remove` takes it away. */
export class Scratch {
  private constructor(readonly dir: string) {}

  static async make(): Promise<Scratch> {
    return new Scratch(await mkdtemp(join(tmpdir(), "mirrorlake-ingest-test-")));
  }

  async write(name: string, content: string | Uint8Array): Promise<string> {
    const path = join(this.dir, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    return path;
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }
}

/** A mapping that is guessed from a file of so many rows, JSON a line each. */
export async function guessRows(
  scratch: Scratch,
  count: number,
  make: (n: number) => object,
): Promise<GuessedMapping> {
  const rows = Array.from({ length: count }, (_, n) => `${JSON.stringify(make(n))}\n`).join("");
  return guessMapping(await scratch.write("rows.jsonl", rows));
}

/** What a mapping makes of the first rows of an input, named from the scratch folder. */
export async function previewOf(scratch: Scratch, mapping: object, input: string) {
  await scratch.write("guess.json", JSON.stringify(mapping));
  const args = ["--adapter", "guess.json", "--captured-at", "2026-05-27T08:00:00Z", "--preview", "50"];
  const { out, err, code } = await capture(["ingest", input, ...args, "--json"], { cwd: scratch.dir });
  expect([code, err]).toEqual([0, ""]);
  const { items, rejects } = JSON.parse(out) as {
    items: { record: Record<string, Record<string, unknown>> }[];
    rejects: unknown[];
  };
  return { records: items.map(({ record }) => record), rejects };
}

export interface ReadAll {
  readonly rows: SourceRow[];
  readonly values: unknown[];
  readonly rejects: Reject[];
  readonly notRead: FileNotRead[];
}

/** Everything that one source makes of the inputs. */
export async function readAll(
  inputs: string | readonly (string | InputStream)[],
  options: { files?: readonly string[]; read?: ReadOptions } & Partial<ReadSourceOptions> = {},
): Promise<ReadAll> {
  const { files = ["*"], read, ...rest } = options;
  const source: SourceSpec = { name: "rows", files: [...files], read };
  const rows: SourceRow[] = [];
  const rejects: Reject[] = [];
  const notRead: FileNotRead[] = [];
  const batches = readSource(typeof inputs === "string" ? [inputs] : inputs, {
    sources: [source],
    onReject: (reject) => void rejects.push(reject),
    onNotRead: (file) => notRead.push(file),
    ...rest,
  });
  for await (const batch of batches) rows.push(...batch);
  return { rows, values: rows.map(({ value }) => value), rejects, notRead };
}

/** Expects one IngestError of the code, naming the place, with a reason that matches and a remedy. */
export async function expectIngestError(
  work: Promise<unknown>,
  expected: { code: string; file?: string; line?: number; reason?: RegExp },
): Promise<IngestError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(IngestError);
  const ingestError = error as IngestError;
  expect(ingestError.code).toBe(expected.code);
  if (expected.file !== undefined) expect(ingestError.message).toContain(expected.file);
  if (expected.line !== undefined)
    expect(ingestError.message).toMatch(new RegExp(`line ${expected.line}[:,]`));
  if (expected.reason !== undefined) expect(ingestError.message).toMatch(expected.reason);
  expect(ingestError.remedy.length).toBeGreaterThan(5);
  expect(ingestError.message).not.toContain("\n");
  return ingestError;
}

/** A stream of buffers cut at the given sizes, over and over. */
export async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer, void, void> {
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
