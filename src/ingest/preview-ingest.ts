import type { SliceItem } from "../contract/slice/slice-item.js";
import { makeSystemFolder } from "../files/system-folder.js";
import type { Adapter, AdapterContext, Reject } from "./adapters/adapter.js";
import type { IngestWarning } from "./ingest-warning.js";
import type { InputStream } from "./readers/found-file.js";
import { readSource } from "./readers/read-source.js";
import type { SourceRow } from "./readers/source-row.js";

/** What the first rows of an input become. */
export interface IngestPreview {
  /** Rows looked at, of all sources. */
  readonly rows: number;
  /** Rows looked at of each source of the adapter that has files, in reading order. */
  readonly sources: readonly { readonly name: string; readonly rows: number }[];
  readonly items: readonly SliceItem[];
  readonly rejects: readonly Reject[];
  /** Rows that no rule takes, with the reason. */
  readonly unused: readonly { readonly file: string; readonly line: number; readonly reason: string }[];
  /** What the mapping names and none of these rows has, and templates that came to nothing. */
  readonly warnings: readonly IngestWarning[];
}

/** Options of {@link previewIngest}. */
export interface PreviewOptions extends Omit<AdapterContext, "tempDirectory" | "onWarning"> {
  readonly adapter: Adapter;
  /** Rows to look at of each source. */
  readonly rows: number;
  /** Called with each named pipe that is read before anything has opened it for writing. */
  readonly onWait?: (file: string) => void;
}

/**
 * Converts the first rows of each source of the inputs, and writes nothing.
 * @throws IngestError for input that cannot be read; MappingError
 */
export async function previewIngest(
  inputs: readonly (string | InputStream)[],
  { adapter, rows: rowsOfEach, onWait, ...context }: PreviewOptions,
): Promise<IngestPreview> {
  const temporary = await makeSystemFolder("preview");
  const tempDirectory = temporary.path;
  const items: SliceItem[] = [];
  const rejects: Reject[] = [];
  const unused: { file: string; line: number; reason: string }[] = [];
  const warnings: IngestWarning[] = [];
  const read = new Map<string, number>();
  async function* first(): AsyncGenerator<readonly SourceRow[]> {
    const { sources, unread } = adapter;
    for await (const batch of readSource(inputs, {
      sources,
      unread,
      rowsOfEach,
      tempDirectory,
      signal: context.signal,
      onWait,
      onReject: (reject) => void rejects.push(reject),
    })) {
      for (const { source } of batch) read.set(source, (read.get(source) ?? 0) + 1);
      yield batch;
    }
  }
  try {
    const onWarning = (warning: IngestWarning) => void warnings.push(warning);
    for await (const batch of adapter.convert(first(), { ...context, tempDirectory, onWarning })) {
      for (const converted of batch) {
        if ("ok" in converted) items.push(converted.ok);
        else if ("reject" in converted) rejects.push(converted.reject);
        else unused.push(converted.unused);
      }
    }
    const sources = [...read].map(([name, rows]) => ({ name, rows }));
    const rows = sources.reduce((sum, source) => sum + source.rows, 0);
    return { rows, sources, items, rejects, unused, warnings };
  } finally {
    await temporary.remove();
  }
}
