import { lakeClosed } from "../lake-errors.js";

/**
 * A lazy stream of a lake's items. When the lake closes, the current item is still delivered, the generation is
 * released, and the next call fails: a partial result never looks complete.
 */
export class ViewStream<T> implements AsyncGenerator<T, void, void> {
  private readonly items: AsyncGenerator<T, void, void>;
  private finished = false;
  private isCut = false;

  constructor(
    private readonly lake: string,
    items: (stream: ViewStream<T>) => AsyncIterable<T>,
  ) {
    this.items = this.run(items);
  }

  /**
   * Returns the next item.
   * @throws LakeError `lake_closed` if the lake was closed before the last item
   */
  async next(): Promise<IteratorResult<T, void>> {
    const result = await this.items.next();
    if (result.done && this.isCut && !this.finished) throw lakeClosed(this.lake);
    return result;
  }

  async return(): Promise<IteratorResult<T, void>> {
    this.finished = true;
    return this.items.return();
  }

  async throw(error: unknown): Promise<IteratorResult<T, void>> {
    this.finished = true;
    return this.items.throw(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  /** Ends the stream when its lake closes: waits for the current item only. */
  async cut(): Promise<void> {
    this.isCut = true;
    await this.items.return();
  }

  private async *run(items: (stream: ViewStream<T>) => AsyncIterable<T>): AsyncGenerator<T, void, void> {
    yield* items(this);
    this.finished = true;
  }
}
