import type { Readable } from "node:stream";

/** Pieces that are held while they are not taken. */
const HELD = 4;
/** Most bytes that the server writes of an error into an answer that has begun. */
const LONGEST = 32 * 1024;
const MARK = "__exception__";

/** The end of an answer, where the server writes the error of a query that fails half-way. */
export class StreamTail {
  private end: Buffer = Buffer.alloc(0);

  /** Takes the next piece. */
  add(piece: Buffer): void {
    this.end =
      piece.length >= LONGEST
        ? piece.subarray(piece.length - LONGEST)
        : Buffer.concat([this.end.subarray(Math.max(0, this.end.length + piece.length - LONGEST)), piece]);
  }

  /** The error at the end, with the server's code; undefined if there is none. */
  failure(): Error | undefined {
    const text = this.end.toString("latin1");
    const [, message] =
      new RegExp(`${MARK}\\r\\n(?:\\w+)\\r\\n([\\s\\S]*?)\\n?\\d+ \\w+\\r\\n${MARK}\\r\\n$`).exec(text) ?? [];
    if (message === undefined) return undefined;
    const shown = Buffer.from(message, "latin1").toString("utf8");
    const code = /^Code: (\d+)\. /.exec(shown)?.[1] ?? "0";
    return Object.assign(new Error(shown.replace(/^Code: \d+\. DB::Exception: /, "").trim()), { code });
  }
}

/**
 * The pieces of a stream as they come; some few are held. Where the stream breaks, what came before is given first: an iterator of the
 * stream itself would drop it, and the server's last words with it. The driver heeds a signal until an answer begins, so it is heeded here
 * from then on.
 * @throws what the stream breaks with; an error if the signal aborts
 */
export async function* flowing(stream: Readable, signal?: AbortSignal): AsyncGenerator<Buffer, void, void> {
  const abort = () => stream.destroy(new Error("the call was aborted"));
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted === true) abort();
  try {
    yield* piecesOf(stream);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

async function* piecesOf(stream: Readable): AsyncGenerator<Buffer, void, void> {
  const held: Buffer[] = [];
  const state: { ended: boolean; error?: unknown; wake: () => void } = { ended: false, wake: () => {} };
  const end = (error?: unknown) => {
    // A stream that breaks still has what came while it paused.
    for (let rest = stream.read(); rest !== null; rest = stream.read()) held.push(rest as Buffer);
    state.ended = true;
    state.error ??= error;
    state.wake();
  };
  stream.on("data", (piece: Buffer) => {
    held.push(piece);
    if (held.length >= HELD) stream.pause();
    state.wake();
  });
  stream.on("end", () => end());
  stream.on("error", end);
  stream.on("close", () => end());
  for (;;) {
    const piece = held.shift();
    if (piece !== undefined) yield piece;
    else if (state.ended) break;
    else {
      const woken = new Promise<void>((resolve) => {
        state.wake = resolve;
      });
      stream.resume();
      await woken;
    }
  }
  if (state.error !== undefined) throw state.error;
}
