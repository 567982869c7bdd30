import { join } from "node:path";
import { KEYWORD } from "../../search/index-manifest.js";
import { KeywordSegment } from "../../search/keyword/keyword-segment.js";
import { PositionsReader } from "../../search/keyword/postings/positions.js";
import type { TermEntry } from "../../search/keyword/terms/term-dictionary.js";
import { RowBinaryWriter } from "../row-binary.js";
import type { RecordFacts } from "./record-rows.js";
import type { Staged } from "./staged.js";

/** Columns of the table `postings` in the order of {@link postingRows}. */
export const POSTING_COLUMNS: readonly string[] = [
  "load",
  "term",
  "ordinal",
  "frequency",
  "length",
  "language",
  "platform",
  "src",
  "lang",
  "captured_ms",
  "positions",
];

/** The postings of the keyword index: our own terms, with frequencies in half words and the positions that phrases need. */
export async function* postingRows(
  staged: Staged,
  load: number,
  facts: RecordFacts,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const writer = new RowBinaryWriter();
  const names = new RowBinaryWriter();
  let first = staged.first.records;
  for (const { name, documentCount } of staged.index.segments) {
    const keyword = await KeywordSegment.open(join(staged.search, name, KEYWORD));
    try {
      for (const [term, entry] of keyword.terms()) {
        signal?.throwIfAborted();
        const name = names.uint64(load).text(term).take();
        for (const _ of writePostings(writer, name, keyword, entry, first, facts)) yield writer.take();
      }
    } finally {
      keyword.close();
    }
    first += documentCount;
  }
  yield writer.take();
}

/** Writes a term's postings, each after the load and the term; yields whenever the writer is full. */
function* writePostings(
  writer: RowBinaryWriter,
  name: Uint8Array,
  keyword: KeywordSegment,
  entry: TermEntry,
  first: number,
  facts: RecordFacts,
): Generator<void, void, void> {
  const cursor = keyword.cursor(entry);
  const reader = entry.positions.bytes === 0 ? undefined : new PositionsReader(keyword.positions(entry));
  while (cursor.next()) {
    const ordinal = first + cursor.row;
    writer.raw(name).uint32(ordinal).uint32(cursor.frequency).uint32(facts.lengths[ordinal]!);
    writer.word(facts.languages[ordinal]!).word(facts.platforms[ordinal]!).word(facts.domains[ordinal]!);
    writer.word(facts.langs[ordinal]!).int64(facts.capturedMs[ordinal]!);
    const positions = reader?.read() ?? [];
    writer.array(positions.length);
    for (const position of positions) writer.uint32(position);
    if (writer.full) yield;
  }
}
