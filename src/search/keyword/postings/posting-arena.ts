const LEAST = 1 << 16;
/** Most bytes kept from one query to the next. */
const KEPT = 1 << 24;

/** Memory for the postings of one query, in one array that the next query reuses. */
export class PostingArena {
  private bytes = new Uint8Array(0);
  private used = 0;
  private needed = 0;

  /** Returns bytes at an offset that is a multiple of 4, valid until the next {@link reset}. */
  readonly take = (bytes: number): Uint8Array => {
    if (this.used + bytes > this.bytes.length) {
      this.bytes = new Uint8Array(Math.max(LEAST, this.needed + bytes));
      this.used = 0;
    }
    const taken = this.bytes.subarray(this.used, this.used + bytes);
    const aligned = (bytes + 3) & ~3;
    this.used += aligned;
    this.needed += aligned;
    return taken;
  };

  /** Frees all bytes. */
  reset(): void {
    if (this.bytes.length > KEPT) this.bytes = new Uint8Array(0);
    this.used = 0;
    this.needed = 0;
  }
}
