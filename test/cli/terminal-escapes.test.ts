import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { safeOutput } from "../../src/cli/format/safe-output.js";
import { style } from "../../src/cli/format/terminal-style.js";
import { ApiError, LakeError } from "../../src/contract/errors.js";
import { terminalLine, terminalText } from "../../src/contract/terminal-text.js";
import { createLake, VirtualClock } from "../../src/index.js";
import { EMBEDDER } from "../evolution/support.js";
import { zipOf } from "../ingest/zip-writer.js";
import { ANY_CHARACTER } from "../support/any-character.js";
import { capture } from "./capture.js";

/** Sets a title, colours by C1, turns the direction, forges a line: what a name must not do. */
const EVIL = "x\u001b]0;owned\u0007\u009b31m\u202e\u2066\u001b[2J\r\nError: forged\u2028y";
const STEERING = /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const forgedLine = /^Error: forged/m;

let dir: string;
let lake: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-escapes-"));
  lake = join(dir, "evil");
  await createLake(lake, [{ platform: "forum", lang: "en", title: EVIL, text: `giraffe ${EVIL}` }], {
    embedder: EMBEDDER,
    clock: new VirtualClock("2026-05-20T10:00:00.000Z"),
    threads: 1,
  });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Runs a command as on a terminal; nothing it says may steer it. */
async function ask(args: readonly string[]) {
  const run = await capture(args, { cwd: dir, isTty: true });
  const said = (run.out + run.err).replaceAll("\r\u001b[K", "");
  expect(said).not.toMatch(STEERING);
  expect(said).not.toMatch(forgedLine);
  return { ...run, said };
}

describe("what is printed", () => {
  test("records, tables, rows, JSON and CSV of hostile records", async () => {
    const search = ["search", "giraffe", "--lake", lake, "--as-of", "2026-05-21T00:00:00Z"];
    expect((await ask(search)).said).toContain("owned");
    const json = (await ask([...search, "--json"])).out;
    expect((JSON.parse(json) as { data: { title: string }[] }).data[0]!.title).toContain("\u202e");
    const query = `SELECT id, title AS "${EVIL}" FROM records`;
    for (const format of ["table", "vertical", "json"])
      expect((await ask(["sql", query, "--lake", lake, "--format", format])).said).toContain("owned");
  });

  test("CSV on a terminal has its line ends, and no other control", async () => {
    const query = ["sql", "SELECT title FROM records", "--lake", lake, "--format", "csv"];
    expect((await capture(query, { isTty: true })).out).toBe(`title\n"${terminalText(EVIL)}"\n`);
  });

  test("CSV and JSON for programs keep every character", async () => {
    const query = ["sql", "SELECT title FROM records", "--lake", lake, "--format"];
    expect((await capture([...query, "csv"])).out).toBe(`title\n"${EVIL}"\n`);
    expect(JSON.parse((await capture([...query, "json"])).out)).toEqual([{ title: EVIL }]);
  });

  test("the line of a query that the engine quotes, with its tabs", async () => {
    const query = "SELECT id,\n\tnone\tAS x FROM records";
    expect((await ask(["sql", query, "--lake", lake])).err).toContain("LINE 2: \tnone\tAS x FROM records\n");
  });

  test("arguments that commander quotes", async () => {
    const words = EVIL.replaceAll("\n", "");
    expect((await ask([`--${words}`])).code).toBe(2);
    expect((await ask(["search", "x", `--${words}`])).code).toBe(2);
    expect((await ask(["sql", "SELECT 1", "--limit", words])).code).toBe(2);
  });
});

describe("error messages", () => {
  test("of errors of every kind are one line without steering characters, whatever they are made of", () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        const lake = new LakeError("code", `Cannot read ${text}${EVIL}`, { remedy: text + EVIL });
        const api = new ApiError("not_found", { message: text + EVIL, hint: text + EVIL });
        for (const part of [lake.message, lake.remedy, api.message, api.hint!])
          expect(part).toBe(terminalLine(part));
      }),
      { numRuns: 30 },
    );
  });

  test("stand in stacks as they are", () => {
    expect(new LakeError("code", EVIL, { remedy: "none" }).stack).not.toMatch(STEERING);
  });

  test("name an ingested file, and a member of an archive, harmlessly", async () => {
    const files = join(dir, "files");
    await mkdir(files);
    for (const suffix of [".jsonl", ".xlsx", ".jsonl.gz", ".parquet"])
      await writeFile(join(files, `${EVIL}${suffix}`), "{");
    const ingest = async (source: string) =>
      (
        await ask([
          ...["ingest", source, "--adapter", "short-video-native", "--out", "slices"],
          ...["--captured-at", "2026-05-20T10:00:00Z"],
        ])
      ).said;
    expect(await ingest(files)).toContain("owned");
    expect(await ingest(join(files, `${EVIL}.gone`))).toContain("owned");
    for (const name of [`${EVIL}.jsonl`, `../${EVIL}`, `${EVIL}.xlsx`]) {
      const archive = join(dir, "members.zip");
      await writeFile(archive, zipOf([{ name, data: Buffer.from("{"), crc: 1 }]));
      expect(await ingest(archive)).toContain("owned");
    }
  });

  test("name what a hostile source offers harmlessly", async () => {
    const archive = join(dir, "slices.zip");
    await writeFile(archive, zipOf([{ name: `../${EVIL}/datapackage.json`, data: Buffer.from("{}") }]));
    await ask(["pull", archive, "--lake", join(dir, "pulled")]);
    const index = { schema: "mirrorlake-slices/1", slices: [{ root: EVIL, path: EVIL, title: EVIL }] };
    await writeFile(join(dir, "index.json"), JSON.stringify(index));
    await ask(["pull", dir, "--lake", join(dir, "pulled")]);
    await ask(["pull", EVIL, "--lake", join(dir, "pulled")]);
  });

  test("name values of a query and of a lake harmlessly", async () => {
    const hurt = await ask(["sql", "SELECT title::INTEGER FROM records", "--lake", lake]);
    expect(hurt.said).toContain("owned");
    await ask(["sql", `SELECT '${EVIL}' FROM nowhere`, "--lake", lake]);
    await ask(["sql", `SELECT ${EVIL}`, "--lake", lake]);
    await ask(["search", "x", "--lake", join(dir, EVIL)]);
    await ask(["raw", EVIL, "comments", "--lake", lake]);
    const broken = join(dir, "broken");
    await cp(lake, broken, { recursive: true });
    await writeFile(join(broken, "CURRENT"), EVIL);
    await ask(["doctor", "--lake", broken]);
    await ask(["search", "x", "--lake", broken]);
  });
});

describe("safeOutput", () => {
  const captured = (isTty = true) => {
    let text = "";
    const write = (part: string) => {
      text += part;
    };
    return { output: safeOutput({ write, isTty, columns: 80, color: true }), said: () => text };
  };

  test("keeps the program's styles, and no escape of the text", () => {
    const { output, said } = captured();
    output.write(`${style(output, "red", "no")}: \u001b[31mforged\u001b[0m\n`);
    expect(said()).toBe("\u001b[31mno\u001b[0m: \\u001b[31mforged\\u001b[0m\n");
  });

  test("redraws one line", () => {
    const { output, said } = captured();
    output.redraw("reading a\nb\u001b[2J");
    expect(said()).toBe("\r\u001b[Kreading a\\u000ab\\u001b[2J");
  });

  test("shows any text without steering characters, and ordinary text unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        const { output, said } = captured();
        output.write(text);
        expect(said()).not.toMatch(STEERING);
        expect(terminalText(said())).toBe(said());
        if (!STEERING.test(text)) expect(said()).toBe(text);
      }),
    );
    const kept = "日本語 é ไทย \u200fעברית 👨‍👩‍👧\ta\n";
    expect(terminalText(kept)).toBe(kept);
  });
});
