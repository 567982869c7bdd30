import { PULL_DEFAULTS } from "./defaults.js";

/** Progress of a transfer in bytes; `speed` (bytes per second) and `leftMs` are absent while unknown. */
export interface TransferProgress {
  readonly done: number;
  readonly total: number;
  readonly filesDone: number;
  readonly files: number;
  readonly speed?: number;
  readonly leftMs?: number;
}

/** Counts received bytes and estimates the remaining time from the recent speed. */
export class TransferMeter {
  private done = 0;
  private filesDone = 0;
  private fetched = 0;
  /** Times and bytes fetched until then, oldest first, within the window. */
  private marks: { readonly ms: number; readonly fetched: number }[] = [];

  constructor(
    private readonly total: number,
    private readonly files: number,
    private readonly now: () => number,
    private readonly onProgress: ((progress: TransferProgress) => void) | undefined,
  ) {}

  /** Bytes received over the network, including discarded ones. */
  get bytesFetched(): number {
    return this.fetched;
  }

  /** Adds bytes left by earlier runs. */
  kept(bytes: number): void {
    this.done += bytes;
    this.report();
  }

  /** Adds bytes that were copied on this machine. */
  copied(bytes: number): void {
    this.done += bytes;
    this.report();
  }

  /** Adds bytes received over the network. */
  received(bytes: number): void {
    this.done += bytes;
    this.fetched += bytes;
    this.mark();
    this.report();
  }

  /** Removes discarded bytes. */
  dropped(bytes: number): void {
    this.done -= bytes;
  }

  /** Counts a completed file. */
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
