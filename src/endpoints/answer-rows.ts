import type { StoredRecord } from "../contract/service/unified-record.js";
import type { HandlerContext } from "./handler.js";

/** What an answer has of a row. */
export interface AnswerRow {
  readonly record: StoredRecord;
  /** 1536 numbers; absent where the answer has no vectors. */
  readonly vector?: Float32Array | undefined;
}

type AnswerRowsByNumber = ReadonlyMap<number, AnswerRow>;
const NONE: AnswerRowsByNumber = new Map();

/**
 * Reads the records of an answer and their vectors: those that it is likely to have while other threads still rank, and the rest
 * once the ranking is known.
 */
export class AnswerRows {
  private early: Promise<AnswerRowsByNumber> = Promise.resolve(NONE);

  /** @param withVectors whether the answer has vectors */
  constructor(
    private readonly source: Pick<HandlerContext, "corpus" | "index">,
    private readonly withVectors: boolean,
  ) {}

  /** Begins to read rows that the answer is likely to have. */
  readonly begin = (rows: readonly number[]): void => {
    // Where this fails, the answer's rows are all read once they are known, and a failure of these fails the answer.
    this.early = this.readAll(rows).catch(() => NONE);
  };

  /** Reads the rows of the answer, in order. @throws LakeError `record_removed` of a row that was removed meanwhile */
  async read(rows: readonly number[]): Promise<AnswerRow[]> {
    const early = await this.early;
    const others = rows.filter((row) => !early.has(row));
    const late = others.length === 0 ? NONE : await this.readAll(others);
    return rows.map((row) => (early.get(row) ?? late.get(row))!);
  }

  private async readAll(rows: readonly number[]): Promise<AnswerRowsByNumber> {
    const { corpus, index } = this.source;
    const [records, vectors] = await Promise.all([
      corpus.records(rows),
      this.withVectors ? index.vectors(rows) : undefined,
    ]);
    return new Map(rows.map((row, i) => [row, { record: records[i]!, vector: vectors?.[i] }]));
  }
}
