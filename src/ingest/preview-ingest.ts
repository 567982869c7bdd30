import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SliceItem } from "../contract/slice/slice-item.js";
import type { Adapter, AdapterContext, Reject } from "./adapters/adapter.js";
import { readSource } from "./readers/read-source.js";
import type { SourceRow } from "./readers/source-row.js";

/** What the first rows of an input become. */
export interface IngestPreview {
  readonly rows: number;
  readonly items: readonly SliceItem[];
  readonly rejects: readonly Reject[];
  /** Rows that no rule takes, with the reason. */
  readonly unused: readonly { readonly file: string; readonly line: number; readonly reason: string }[];
}

/** Options of {@link previewIngest}. */
export interface PreviewOptions extends Omit<AdapterContext, "tempDirectory"> {
  readonly adapter: Adapter;
  /** Rows to look at. */
  readonly rows: number;
}

/**
 * Converts the first rows of the inputs, and writes nothing.
 * @throws IngestError for input that cannot be read; MappingError
 */
export async function previewIngest(
  inputs: readonly string[],
  { adapter, rows: wanted, ...context }: PreviewOptions,
): Promise<IngestPreview> {
  const tempDirectory = await mkdtemp(join(tmpdir(), "mirrorlake-preview-"));
  const items: SliceItem[] = [];
  const rejects: Reject[] = [];
  const unused: { file: string; line: number; reason: string }[] = [];
  let rows = 0;
  async function* first(): AsyncGenerator<readonly SourceRow[]> {
    const { sources, unread } = adapter;
    const onReject = (reject: Reject) => void rejects.push(reject);
    for await (const batch of readSource(inputs, {
      sources,
      unread,
      tempDirectory,
      signal: context.signal,
      onReject,
    })) {
      const taken = batch.slice(0, wanted - rows);
      rows += taken.length;
      yield taken;
      if (rows >= wanted) return;
    }
  }
  try {
    for await (const batch of adapter.convert(first(), { ...context, tempDirectory })) {
      for (const converted of batch) {
        if ("ok" in converted) items.push(converted.ok);
        else if ("reject" in converted) rejects.push(converted.reject);
        else unused.push(converted.unused);
      }
    }
    return { rows, items, rejects, unused };
  } finally {
    await rm(tempDirectory, { recursive: true, force: true });
  }
}
