/** Length of the peak window in seconds. */
const WINDOW_S = 10;

/** Histogram of danmaku by second of the video; memory grows with the video's length, not with their number. */
export class DanmakuHistogram {
  private readonly seconds = new Map<number, number>();
  /** Number of danmaku added. */
  count = 0;

  /** Adds one danmaku at an offset from the start of the video, in seconds. */
  add(offsetS: number): void {
    const second = Math.floor(offsetS);
    this.seconds.set(second, (this.seconds.get(second) ?? 0) + 1);
    this.count++;
  }

  /** `danmaku_peak_s`: start of the densest ten seconds, the earliest of several; undefined if there are no danmaku. */
  peak(): number | undefined {
    const seconds = [...this.seconds.keys()].sort((a, b) => a - b);
    let best: number | undefined;
    let most = 0;
    let inside = 0;
    let end = 0;
    for (const [i, start] of seconds.entries()) {
      while (end < seconds.length && seconds[end]! < start + WINDOW_S)
        inside += this.seconds.get(seconds[end++]!)!;
      if (inside > most) {
        most = inside;
        best = start;
      }
      inside -= this.seconds.get(seconds[i]!)!;
    }
    return best;
  }
}
