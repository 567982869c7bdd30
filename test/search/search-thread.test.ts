import { execFile } from "node:child_process";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { MessageChannel } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { rowsWithin } from "../../src/search/vector/among-rows.js";
import { buildVectorSet } from "../../src/search/vector/build-vector-set.js";
import { BYTE_VECTOR } from "../../src/search/vector/byte-vectors.js";
import type { NearestSearch } from "../../src/search/vector/nearest-search.js";
import { ScoreExchange } from "../../src/search/vector/scores/score-exchange.js";
import { VectorSet } from "../../src/search/vector/vector-set.js";
import { readVectorSetManifest } from "../../src/search/vector/vector-set-manifest.js";

const FULL = 1536;
const COUNT = 4_000;
const BY_COLUMNS = { takesHints: false, exchanges: true };
/** Worker threads run built code. */
const MODULE = new URL("../../build/search/vector/search-thread.js", import.meta.url).href;
type Module = typeof import("../../src/search/vector/search-thread.js");

let folder: string;
let dir: string;
const all = new Float32Array(COUNT * FULL);
const queryOf = (row: number) => all.subarray(row * FULL, (row + 1) * FULL);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-thread-"));
  dir = await vectorSet("whole");
});
afterAll(() => rm(folder, { recursive: true }));

async function vectorSet(name: string): Promise<string> {
  let state = 3;
  for (let i = 0; i < all.length; i += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    all[i] = (state / 2 ** 32 - 0.5) / 11;
  }
  const path = await mkdtemp(join(folder, `${name}-`));
  await writeFile(join(path, "vectors.f32"), new Uint8Array(all.buffer));
  await buildVectorSet(path, { numbers: "float32", threads: 0, codesFrom: 1_000 });
  return path;
}

describe("a search thread", () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const thread of open.splice(0)) await thread.close();
  });
  const start = async (...dirs: string[]) => {
    const { SearchThread } = (await import(MODULE)) as Module;
    const thread = SearchThread.start();
    open.push(thread);
    await thread.open(
      await Promise.all(
        dirs.map(async (dir) => ({
          parts: [{ dir, manifest: await readVectorSetManifest(dir) }],
          recall: undefined,
          kept: 100_000,
          shared: false,
        })),
      ),
    );
    return thread;
  };

  it("answers as the set does, many questions at a time", async () => {
    const [thread, set] = [
      await start(dir, dir),
      await VectorSet.open(dir, await readVectorSetManifest(dir)),
    ];
    const rows = Uint32Array.from({ length: 2_000 }, (_, i) => i * 2);
    const { bits } = RowSet.of(COUNT, rows);
    const asked = Array.from({ length: 20 }, (_, i) => {
      const options = {
        ...(i % 2 === 0 ? {} : { rows: i % 4 === 1 ? rows : rowsWithin(bits, 0, COUNT) }),
        ...(i % 3 === 0
          ? { exact: true }
          : { step: { by: "columns", breadth: 128, depth: 300, run: 0 } as const }),
      };
      return { query: queryOf(i * 7), options, which: i % 2 };
    });
    const found = await Promise.all(
      asked.map(({ query, options, which }) => thread.search(which, BY_COLUMNS).nearest(query, 10, options)),
    );
    for (const [i, { query, options }] of asked.entries())
      expect(found[i]).toEqual(await set.nearest(query, 10, options));
    expect(found[0]!.rows[0]).toBe(0);
    set.close();
  });

  it("answers the same with a thread that helps to scan, as that one does", async () => {
    const { SearchThread } = (await import(MODULE)) as Module;
    const { port1, port2 } = new MessageChannel();
    const manifest = await readVectorSetManifest(dir);
    const sets = [{ parts: [{ dir, manifest }], recall: undefined, kept: 1_000, shared: true }];
    const [one, other] = [SearchThread.start(), SearchThread.start()];
    open.push(one, other);
    await Promise.all([one.open(sets, port1), other.open(sets, port2)]);
    const set = await VectorSet.open(dir, manifest);
    const step = { by: "columns", breadth: 128, depth: 512, run: 256 } as const;
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const search = (i % 2 === 0 ? one : other).search(0, BY_COLUMNS);
        const query = queryOf(i * 31);
        expect(await search.nearest(query, 10, { step })).toEqual(await set.nearest(query, 10, { step }));
      }),
    );
    set.close();
  });

  it("learns of the scores of other sets in other threads, and answers as sets in one thread do", async () => {
    const { SearchThread } = (await import(MODULE)) as Module;
    const manifest = await readVectorSetManifest(dir);
    const sets = [{ parts: [{ dir, manifest }], recall: undefined, kept: COUNT, shared: false }];
    const threads = [SearchThread.start(), SearchThread.start()];
    open.push(...threads);
    await Promise.all(threads.map((thread) => thread.open([...sets, ...sets])));
    const step = { by: "columns", breadth: 128, depth: 2_048, run: 256 } as const;
    const searches = threads.flatMap((thread) => [0, 1].map((set) => thread.search(set, BY_COLUMNS)));
    const own = await Promise.all(Array.from({ length: 4 }, () => VectorSet.open(dir, manifest)));
    const halves = [0, 1].map((half) => Uint32Array.from({ length: COUNT / 2 }, (_, i) => i * 2 + half));
    for (let i = 0; i < 20; i += 1) {
      const ask = (among: readonly NearestSearch[]) => {
        const exchange = ScoreExchange.room(among.length);
        const options = (at: number) => ({ step, exchange, rows: halves[at % 2]! });
        return Promise.all(among.map((set, at) => set.nearest(queryOf(i * 7), 400, options(at))));
      };
      expect(await ask(searches)).toEqual(await ask(own));
    }
    for (const set of own) set.close();
  });

  it("stops waiting for other sets when it is aborted", async () => {
    const search = (await start(dir)).search(0, BY_COLUMNS);
    const abort = new AbortController();
    const step = { by: "columns", breadth: 128, depth: 512, run: 256 } as const;
    const options = { step, signal: abort.signal, exchange: ScoreExchange.room(2) };
    const waiting = expect(search.nearest(queryOf(0), 5, options)).rejects.toThrow("enough");
    await search.nearest(queryOf(1), 5);
    abort.abort(new Error("enough"));
    await waiting;
    expect((await search.nearest(queryOf(2), 1, { exact: true })).rows).toEqual([2]);
  });

  it("does not wait for a set that another thread could not open", async () => {
    const torn = await vectorSet("torn");
    await truncate(join(torn, "vectors.f32"), FULL * 4 + 1);
    const { SearchThread } = (await import(MODULE)) as Module;
    const thread = SearchThread.start();
    open.push(thread);
    const manifest = await readVectorSetManifest(torn);
    const opening = thread.open([
      { parts: [{ dir: torn, manifest }], recall: undefined, kept: COUNT, shared: false },
    ]);
    const refused = expect(opening).rejects.toMatchObject({ code: "vectors_truncated" });
    const broken = thread.search(0, BY_COLUMNS);
    const whole = (await start(dir)).search(0, BY_COLUMNS);
    const step = { by: "columns", breadth: 128, depth: 512, run: 256 } as const;
    const options = { step, exchange: ScoreExchange.room(2) };
    const asked = Promise.allSettled([
      broken.nearest(queryOf(0), 5, options),
      whole.nearest(queryOf(0), 5, options),
    ]);
    await refused;
    const [failed, found] = await asked;
    expect(failed).toMatchObject({ status: "rejected", reason: { code: "vectors_truncated" } });
    expect(found).toMatchObject({ status: "fulfilled", value: { rows: { length: 5 } } });
  });

  it("leaves a question alone that is aborted, and answers the next", async () => {
    const search = (await start(dir)).search(0, BY_COLUMNS);
    const reason = new Error("enough");
    await expect(search.nearest(queryOf(0), 5, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const abort = new AbortController();
    const asked = search.nearest(queryOf(1), 5, { exact: true, signal: abort.signal });
    abort.abort(reason);
    await expect(asked).rejects.toBe(reason);
    expect((await search.nearest(queryOf(2), 1, { exact: true })).rows).toEqual([2]);
  });

  it("fails what it was asked when it is closed, and what it is asked after that", async () => {
    const thread = await start(dir);
    const asked = thread.search(0, BY_COLUMNS).nearest(queryOf(0), 5, { exact: true });
    const refused = expect(asked).rejects.toMatchObject({ code: "search_thread_ended" });
    await thread.close();
    await refused;
    await expect(thread.search(0, BY_COLUMNS).nearest(queryOf(0), 5)).rejects.toMatchObject({
      code: "search_thread_ended",
    });
    await expect(thread.open([])).rejects.toMatchObject({ code: "search_thread_ended" });
  });

  it("fails an opening that is under way when it is closed", async () => {
    const { SearchThread } = (await import(MODULE)) as Module;
    const thread = SearchThread.start();
    const opening = thread.open([
      {
        parts: [{ dir, manifest: await readVectorSetManifest(dir) }],
        recall: undefined,
        kept: 100_000,
        shared: false,
      },
    ]);
    const refused = expect(opening).rejects.toMatchObject({ code: "search_thread_ended" });
    await thread.close();
    await refused;
  });

  it("says of a set that is not whole what is wrong, and ends", async () => {
    const torn = await vectorSet("torn");
    await truncate(join(torn, "vectors.f32"), FULL * 4 + 1);
    await expect(start(dir, torn)).rejects.toMatchObject({
      name: "SearchError",
      code: "vectors_truncated",
      value: join(torn, "vectors.f32"),
      remedy: expect.stringContaining("install"),
    });
    const short = await vectorSet("short");
    await truncate(join(short, "vectors.i8"), 100 * BYTE_VECTOR);
    await expect(start(short)).rejects.toThrow("has 100 vectors, not");
  });

  it("does not keep a process alive that has nothing to ask", async () => {
    const script = `
      const { SearchThread } = await import(${JSON.stringify(MODULE)});
      const thread = SearchThread.start();
      await thread.open([${JSON.stringify({ parts: [{ dir, manifest: await readVectorSetManifest(dir) }], kept: 0, shared: false })}]);
      const { rows } = await thread.search(0, ${JSON.stringify(BY_COLUMNS)}).nearest(new Float32Array(1536).fill(1), 3);
      console.log(rows.length);`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout.trim()).toBe("3");
  });

  it("keeps a process alive until it has closed, even if it says meanwhile that its sets are open", async () => {
    const script = `
      import { Worker } from "node:worker_threads";
      const calls = [];
      for (const name of ["ref", "unref", "terminate"]) {
        const call = Worker.prototype[name];
        Worker.prototype[name] = function () {
          calls.push(name);
          return call.call(this);
        };
      }
      const { SearchThread } = await import(${JSON.stringify(MODULE)});
      const thread = SearchThread.start();
      const opened = thread.open([${JSON.stringify({ parts: [{ dir, manifest: await readVectorSetManifest(dir) }], kept: COUNT, shared: false })}]);
      opened.catch(() => undefined);
      // The thread answers while this one is busy, so its answer waits when it is closed.
      for (const end = Date.now() + 1_500; Date.now() < end; );
      await thread.close();
      console.log(calls.slice(calls.indexOf("terminate")).join());`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout.trim()).toBe("terminate,ref");
  });
});
