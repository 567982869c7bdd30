import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { makeFolder } from "../../files/make-folder.js";

const DEFAULT_BUDGET_BYTES = 64 * 2 ** 20;
const MAX_RUNS = 64;
/** Entries that are sorted in one turn of the event loop: some 10 ms. */
const SORTED_AT_ONCE = 8192;
/** Memory overhead of an entry beside its text. */
const ENTRY_BYTES = 96;
/** JSON does not escape these, but a line reader treats them as line ends. */
const LINE_SEPARATORS = /[\u2028\u2029]/g;

/** A JSON value with its sort key. */
export interface Entry<T> {
  readonly key: string;
  readonly value: T;
}

interface Stored {
  readonly key: string;
  readonly json: string;
}

/**
 * External merge sort: by key (UTF-16 code units), stable among equal keys. Sorted runs are spilled to a folder and merged. Use
 * once: add all entries, then read all.
 */
export class ExternalSort<T> {
  private readonly directory: string;
  private readonly budgetBytes: number;
  private readonly signal: AbortSignal | undefined;
  private entries: Stored[] = [];
  /** Sorted entries, in the order in which they were added. */
  private sortedParts: Stored[][] = [];
  private bytes = 0;
  private runs: string[] = [];

  constructor(options: { tempDirectory: string; budgetBytes?: number; signal?: AbortSignal | undefined }) {
    this.directory = join(options.tempDirectory, `sort-${randomUUID()}`);
    this.budgetBytes = options.budgetBytes ?? DEFAULT_BUDGET_BYTES;
    this.signal = options.signal;
  }

  /** Adds an entry. Returns a promise only if it spills. */
  add(key: string, value: T): Promise<void> | undefined {
    const json = JSON.stringify(value);
    this.entries.push({ key, json });
    this.bytes += ENTRY_BYTES + 2 * (key.length + json.length);
    if (this.entries.length >= SORTED_AT_ONCE) this.sortPart();
    return this.bytes < this.budgetBytes ? undefined : this.spill();
  }

  /** The entries in order. Removes spilled runs at the end, even when left early. */
  async *sorted(): AsyncGenerator<Entry<T>> {
    try {
      const streams = [...this.runs.map(readRun), fromEntries(this.takeSorted())];
      for await (const { key, json } of merge(streams)) {
        this.signal?.throwIfAborted();
        yield { key, value: JSON.parse(json) as T };
      }
    } finally {
      await this.close();
    }
  }

  /** Removes spilled runs. */
  async close(): Promise<void> {
    this.entries = [];
    this.sortedParts = [];
    this.runs = [];
    await rm(this.directory, { recursive: true, force: true });
  }

  private sortPart(): void {
    // The sort is stable, so entries with equal keys keep their order.
    this.sortedParts.push(this.entries.sort(byKey));
    this.entries = [];
  }

  private takeSorted(): Iterable<Stored> {
    this.sortPart();
    const parts = this.sortedParts;
    this.sortedParts = [];
    this.bytes = 0;
    return mergeParts(parts);
  }

  private async spill(): Promise<void> {
    this.signal?.throwIfAborted();
    await makeFolder(this.directory);
    this.runs.push(await this.writeRun(fromEntries(this.takeSorted())));
    if (this.runs.length < MAX_RUNS) return;
    const old = this.runs;
    this.runs = [await this.writeRun(merge(old.map(readRun)))];
    for (const run of old) await rm(run, { force: true });
  }

  private async writeRun(entries: AsyncIterable<Stored>): Promise<string> {
    const path = join(this.directory, `${randomUUID()}.run`);
    await pipeline(toLines(entries), createWriteStream(path));
    return path;
  }
}

function byKey(a: Stored, b: Stored): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

async function* fromEntries(entries: Iterable<Stored>): AsyncGenerator<Stored> {
  yield* entries;
}

/** Merges sorted parts in memory; among equal keys the earlier part comes first. */
function* mergeParts(parts: readonly (readonly Stored[])[]): Generator<Stored, void, void> {
  /** The next entry of each part, the first of all at the end. */
  const heads: { entry: Stored; order: number; at: number }[] = [];
  const insert = (head: (typeof heads)[0]) => {
    let low = 0;
    let high = heads.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = heads[middle]!;
      if ((byKey(other.entry, head.entry) || other.order - head.order) > 0) low = middle + 1;
      else high = middle;
    }
    heads.splice(low, 0, head);
  };
  for (const [order, part] of parts.entries()) if (part.length > 0) insert({ entry: part[0]!, order, at: 0 });
  for (let head = heads.pop(); head !== undefined; head = heads.pop()) {
    yield head.entry;
    const at = head.at + 1;
    const entry = parts[head.order]![at];
    if (entry !== undefined) insert({ entry, order: head.order, at });
  }
}

async function* toLines(entries: AsyncIterable<Stored>): AsyncGenerator<string> {
  let chunk = "";
  for await (const { key, json } of entries) {
    // JSON text holds no raw tab or line break: a tab separates key and value, a line feed ends the entry.
    const line = `${JSON.stringify(key)}\t${json}`;
    chunk += `${line.replace(LINE_SEPARATORS, (c) => (c === "\u2028" ? "\\u2028" : "\\u2029"))}\n`;
    if (chunk.length > 64 * 1024) {
      yield chunk;
      chunk = "";
    }
  }
  yield chunk;
}

async function* readRun(path: string): AsyncGenerator<Stored> {
  const input = createReadStream(path, { encoding: "utf8" });
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const tab = line.indexOf("\t");
      yield { key: JSON.parse(line.slice(0, tab)) as string, json: line.slice(tab + 1) };
    }
  } finally {
    input.destroy();
  }
}

/** Merges sorted streams; among equal keys the earlier stream comes first. */
async function* merge(streams: readonly AsyncGenerator<Stored>[]): AsyncGenerator<Stored> {
  const heads: { entry: Stored; order: number; stream: AsyncGenerator<Stored> }[] = [];
  const before = (a: (typeof heads)[0], b: (typeof heads)[0]) => byKey(a.entry, b.entry) || a.order - b.order;
  try {
    for (const [order, stream] of streams.entries()) {
      const next = await stream.next();
      if (!next.done) heads.push({ entry: next.value, order, stream });
    }
    heads.sort(before);
    while (heads.length > 0) {
      const head = heads.shift()!;
      yield head.entry;
      const next = await head.stream.next();
      if (next.done) continue;
      const moved = { ...head, entry: next.value };
      let at = 0;
      while (at < heads.length && before(heads[at]!, moved) < 0) at++;
      heads.splice(at, 0, moved);
    }
  } finally {
    for (const stream of streams) await stream.return(undefined);
  }
}
