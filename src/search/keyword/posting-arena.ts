const LEAST = 1 << 20;
/** Bytes that are kept from one query to the next, at most. */
const KEPT = 1 << 24;

/** Memory for the postings of one query, taken from one array that the next query takes again. */
export class PostingArena {
  private bytes = new Uint8Array(0);
  private used = 0;
  private wanted = 0;

  /** So many bytes, at an offset that 4 divides, for use up to the next {@link reset}. */
  readonly take = (bytes: number): Uint8Array => {
    if (this.used + bytes > this.bytes.length) {
      this.bytes = new Uint8Array(Math.max(LEAST, this.wanted + bytes));
      this.used = 0;
    }
    const taken = this.bytes.subarray(this.used, this.used + bytes);
    const aligned = (bytes + 3) & ~3;
    this.used += aligned;
    this.wanted += aligned;
    return taken;
  };

  /** Takes all bytes back. */
  reset(): void {
    if (this.bytes.length > KEPT) this.bytes = new Uint8Array(0);
    this.used = 0;
    this.wanted = 0;
  }
}
