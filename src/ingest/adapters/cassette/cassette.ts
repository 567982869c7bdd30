import { CassetteLines } from "../../../cassette/cassette-lines.js";
import type { RecordedCall } from "../../../cassette/recorded-call.js";
import { CATALOGUE } from "../../../contract/service/catalogue.js";
import { platformsBySlug } from "../../mapping/build-record.js";
import { type Run, startRun } from "../../mapping/run.js";
import type { SourceRow } from "../../readers/source-row.js";
import { FieldError } from "../../values/field-error.js";
import type { Adapter, Converted } from "../adapter.js";
import { convertRows, type RowOutcome } from "../convert-rows.js";
import { type AnsweredItem, itemsOfAnswer } from "./answer-items.js";
import { CollectedItems } from "./collected-items.js";

/** Stands for the model of recorded vectors, which no answer names. */
const RECORDED_MODEL = "recorded";
const BATCH = 256;

/** Reads the lines of cassettes, each file on its own, to the items of their answers. */
class Recordings {
  private readonly files = new Map<string, CassetteLines>();

  constructor(
    private readonly run: Run,
    private readonly collected: CollectedItems,
  ) {}

  /** @throws FieldError if the line is none of a cassette, or its answer has other shapes than its endpoint's */
  take({ file, value }: SourceRow): RowOutcome {
    const line = String(value);
    if (line.trim() === "") return { unused: "blank line" };
    const isFirst = !this.files.has(file);
    const lines = this.files.get(file) ?? new CassetteLines();
    this.files.set(file, lines);
    const call = next(lines, line);
    if (isFirst) return { unused: "header of the cassette" };
    // A vector is part of the answers that name it.
    if (call === undefined) return [];
    const items = this.itemsOf(call);
    if ("unused" in items) return items;
    for (const item of items) this.collected.add(item);
    return [];
  }

  private itemsOf(call: RecordedCall): readonly AnsweredItem[] | { readonly unused: string } {
    if (call.response.status !== 200) return { unused: `answer ${call.response.status}` };
    const { method, path } = call.request;
    const row = CATALOGUE.find((candidate) => candidate.path === path && candidate.method === method);
    if (row === undefined) return { unused: "endpoint that is in no shipped catalogue" };
    return itemsOfAnswer(call, row, this.run);
  }
}

function next(lines: CassetteLines, line: string): RecordedCall | undefined {
  try {
    return lines.next(line);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new FieldError("", error.message);
  }
}

/**
 * Answers that `mirrorlake record` or `recordFetch` wrote, as the records and raw items that a lake needs to answer the same: search
 * results and lists of records, videos, posts, products, comments, creators, relations, prices. Of an item that several answers show,
 * the latest capture is kept. A raw answer is a record too, unless a search shows the record itself. Errors and figures that a lake
 * computes (trends, directories, the account) are left out. The cassette's distinct content is held in memory, as by replay.
 */
export const CASSETTE: Adapter = {
  name: "cassette",
  info: { title: "Recorded answers", licence: "unknown", platforms: [], vectorModel: RECORDED_MODEL },
  hashes: "keep",
  sources: [{ name: "calls", files: ["*.jsonl", "*.cassette"], read: { as: "lines" } }],
  async *convert(rows, context) {
    const run = startRun(context, platformsBySlug([]), true);
    const collected = new CollectedItems();
    const recordings = new Recordings(run, collected);
    yield* convertRows(rows, (row) => recordings.take(row));
    let batch: Converted[] = [];
    for (const ok of collected.items()) {
      batch.push({ ok });
      if (batch.length < BATCH) continue;
      context.signal?.throwIfAborted();
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  },
};
