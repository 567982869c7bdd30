import { PULL_DEFAULTS } from "./defaults.js";

/** How far a transfer has come. Bytes; `speed` in bytes a second and `leftMs` are absent while they cannot be told. */
export interface TransferProgress {
  readonly done: number;
  readonly total: number;
  readonly filesDone: number;
  readonly files: number;
  readonly speed?: number;
  readonly leftMs?: number;
}

/** Counts what comes in, and reckons the time that is left from the speed of the last seconds. */
export class TransferMeter {
  private done = 0;
  private filesDone = 0;
  private fetched = 0;
  /** Instants and what had been fetched by then, oldest first, within the window. */
  private marks: { readonly ms: number; readonly fetched: number }[] = [];

  constructor(
    private readonly total: number,
    private readonly files: number,
    private readonly now: () => number,
    private readonly onProgress: ((progress: TransferProgress) => void) | undefined,
  ) {}

  /** Bytes that came over the network, those that were thrown away among them. */
  get bytesFetched(): number {
    return this.fetched;
  }

  /** Bytes that were there before. */
  kept(bytes: number): void {
    this.done += bytes;
    this.report();
  }

  /** Bytes that came over the network. */
  received(bytes: number): void {
    this.done += bytes;
    this.fetched += bytes;
    this.mark();
    this.report();
  }

  /** Bytes that came and are no use. */
  dropped(bytes: number): void {
    this.done -= bytes;
  }

  /** One more file is whole. */
  fileDone(): void {
    this.filesDone++;
    this.report();
  }

  private mark(): void {
    const ms = this.now();
    const last = this.marks.at(-1);
    if (last !== undefined && ms - last.ms < 100) return;
    this.marks.push({ ms, fetched: this.fetched });
    while (this.marks.length > 2 && ms - this.marks[1]!.ms > PULL_DEFAULTS.speedWindowMs) this.marks.shift();
  }

  private report(): void {
    const { done, total, filesDone, files } = this;
    const speed = this.speed();
    const known = speed === undefined ? {} : { speed, leftMs: ((total - done) / speed) * 1000 };
    this.onProgress?.({ done, total, filesDone, files, ...known });
  }

  private speed(): number | undefined {
    const first = this.marks[0];
    if (first === undefined) return undefined;
    const elapsedMs = this.now() - first.ms;
    const bytes = this.fetched - first.fetched;
    return elapsedMs >= 500 && bytes > 0 ? bytes / (elapsedMs / 1000) : undefined;
  }
}
