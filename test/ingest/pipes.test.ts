import { execFileSync, spawnSync } from "node:child_process";
import { open, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadAdapter } from "../../src/ingest/adapters/load-adapter.js";
import { ingest } from "../../src/ingest/ingest.js";
import type { IngestInput } from "../../src/ingest/input-rows.js";
import { capture } from "../cli/capture.js";
import { NOTES_MAPPING } from "./notes-mapping.js";
import { expectIngestError, readAll, Scratch } from "./support.js";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const CAPTURED = "2026-05-27T08:00:00Z";
describe.skipIf(process.platform === "win32")("inputs that may be silent for long", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await Scratch.make();
  });
  afterEach(() => scratch.remove());

  function pipe(name: string): string {
    const path = join(scratch.dir, name);
    execFileSync("mkfifo", [path]);
    return path;
  }

  /** What an ingestion of an input that never says anything ends with, once it has waited. */
  async function stopped(input: IngestInput, waits: Promise<void> | undefined): Promise<unknown> {
    const abort = new AbortController();
    const reason = new Error("enough");
    let say = () => {};
    const waiting = new Promise<void>((resolve) => {
      say = resolve;
    });
    const run = ingest(input, {
      adapter: await loadAdapter(await scratch.write("map.json", JSON.stringify(NOTES_MAPPING))),
      out: join(scratch.dir, "made/out"),
      capturedAt: CAPTURED,
      signal: abort.signal,
      onProgress: ({ phase }) => phase === "wait" && say(),
    }).catch((error: unknown) => error);
    await (waits ?? waiting);
    abort.abort(reason);
    const error = await run;
    expect(await readdir(scratch.dir)).not.toContain("made");
    return error === reason ? "aborted" : error;
  }

  /** Values of which none ever comes; `asked` resolves when the first is asked for. */
  function silent<T>() {
    let say = () => {};
    const asked = new Promise<void>((resolve) => {
      say = resolve;
    });
    const values: AsyncIterable<T> = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          say();
          return new Promise(() => {});
        },
      }),
    };
    return { values, asked };
  }

  it("end at an abort: a named pipe without a writer, a stream of bytes, the rows of a program", async () => {
    expect(await stopped([pipe("in.jsonl")], undefined)).toBe("aborted");
    const bytes = silent<Uint8Array>();
    expect(await stopped([{ name: "in.jsonl", bytes: bytes.values }], bytes.asked)).toBe("aborted");
    const rows = silent();
    expect(await stopped(rows.values, rows.asked)).toBe("aborted");
  });

  it("give the rows of a named pipe to the end of what is written to it", async () => {
    const [path, waits] = [pipe("in.jsonl"), [] as string[]];
    const text = Array.from({ length: 20_000 }, (_, id) => `{"id":${id}}\n`).join("");
    const onWait = (file: string) => {
      waits.push(file);
      void writeFile(path, text);
    };
    expect((await readAll(path, { onWait })).values.length).toBe(20_000);
    expect(waits).toEqual(["in.jsonl"]);
  });

  it("are refused where they would be read twice, or from their end", async () => {
    await expectIngestError(readAll(pipe("in.zip")), { code: "file_unreadable", reason: /is a pipe/ });
    const mapping = pipe("map.json");
    await expect(loadAdapter(mapping)).rejects.toMatchObject({ code: "unreadable_mapping" });
    for (const input of [pipe("in.jsonl"), "-"]) {
      const { code, err } = await capture(["ingest", "--guess", input], { cwd: scratch.dir });
      expect([code, err]).toEqual([1, expect.stringMatching(/nothing_to_guess.*only once/)]);
    }
  });

  it("of an archive, or without a format, say how they are read all the same", async () => {
    const bytes = (name: string) => [{ name, bytes: oneRow() }];
    await expectIngestError(readAll(bytes("in.zip")), { code: "file_unreadable", reason: /is a stream/ });
    await scratch.write("map.json", JSON.stringify(NOTES_MAPPING));
    const args = ["ingest", "-", "--adapter", "map.json", "--captured-at", CAPTURED, "--out", "out"];
    const { code, err } = await capture(args, { cwd: scratch.dir, stdin: oneRow() });
    expect([code, err]).toEqual([1, expect.stringMatching(/unknown_format.*--stdin-name/s)]);
  });

  it("are counted in bytes, whatever their number", async () => {
    const size = Buffer.byteLength(ONE_ROW);
    const seen: [number, number][] = [];
    await readAll([{ name: "a.jsonl", bytes: oneRow() }, await scratch.write("b.jsonl", ONE_ROW)], {
      onProgress: ({ bytesRead, bytesTotal }) => seen.push([bytesRead, bytesTotal]),
    });
    expect(seen.at(-1)).toEqual([2 * size, 0]);
  });

  it("are refused where standard input is a folder", async () => {
    const folder = await open(scratch.dir);
    try {
      const args = [MAIN, "ingest", "-", "--stdin-name", "a.jsonl", "--adapter", "beir", "--out", "out"];
      args.push("--captured-at", CAPTURED);
      const { status, stderr } = spawnSync(process.execPath, args, {
        cwd: scratch.dir,
        stdio: [folder.fd, "pipe", "pipe"],
        encoding: "utf8",
      });
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/^Error file_unreadable: a\.jsonl: .*standard input is a folder/),
      ]);
    } finally {
      await folder.close();
    }
  });

  it("are previewed: the first rows of standard input", async () => {
    await scratch.write("map.json", JSON.stringify(NOTES_MAPPING));
    const { code, out } = await capture(
      [
        "ingest",
        "-",
        "--stdin-name",
        "a.jsonl",
        "--adapter",
        "map.json",
        "--preview",
        "1",
        "--captured-at",
        CAPTURED,
      ],
      { cwd: scratch.dir, stdin: oneRow() },
    );
    expect([code, JSON.parse(out).id]).toEqual([0, "soc_mbl_1"]);
  });
});

const ONE_ROW = '{"id":1,"text":"a note"}\n';

async function* oneRow(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(ONE_ROW);
}
