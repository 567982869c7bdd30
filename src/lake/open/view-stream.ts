import { lakeClosed } from "../lake-closed.js";

/**
 * Items of a lake, made as they are taken. When the lake closes, the item that is being made is still given, what the stream
 * holds is let go, and the next item that is asked for is an error: nobody takes a part for the whole.
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

  /** The next item. @throws LakeError `lake_closed` where the lake was closed before the last one */
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

  /** Ends the stream because its lake closes: waits for the item that is being made, not for the rest. */
  async cut(): Promise<void> {
    this.isCut = true;
    await this.items.return();
  }

  private async *run(items: (stream: ViewStream<T>) => AsyncIterable<T>): AsyncGenerator<T, void, void> {
    yield* items(this);
    this.finished = true;
  }
}
