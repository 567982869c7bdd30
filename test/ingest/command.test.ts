import { chmod, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { IngestReport } from "../../src/ingest/ingest-report.js";
import { capture } from "../cli/capture.js";
import { Scratch } from "./support.js";

const MAPPING = {
  mapping: 1,
  name: "notes",
  info: { title: "Notes of a test", licence: "MIT" },
  sources: [{ name: "notes", files: ["*.csv"] }],
  defaults: { platform: "microblog", lang: { value: "en" } },
  rules: [{ from: "notes", record: { id: "id", fields: { text: "text", "metrics.likes": "likes" } } }],
};

describe("mirrorlake ingest", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await Scratch.make();
    await scratch.write("map.json", JSON.stringify(MAPPING));
    await scratch.write("in/a.csv", "id,text,likes\n1,hello,3\n2,world,many\n3,again,4\n");
    await scratch.write("in/b.txt", "?");
  });
  afterEach(() => scratch.remove());

  const run = (...args: string[]) =>
    capture(
      [
        "ingest",
        "in",
        "--adapter",
        "map.json",
        "--out",
        "out",
        "--captured-at",
        "2026-05-27T08:00:00Z",
        ...args,
      ],
      {
        cwd: scratch.dir,
      },
    );

  it("lists the adapters that ship in its help", async () => {
    const { code, out } = await capture(["ingest", "--help"]);
    expect(code).toBe(0);
    const { shippedAdapters } = await import("../../src/ingest/adapters/shipped.js");
    for (const { name, info } of shippedAdapters())
      expect(out).toMatch(new RegExp(`^  ${name} +${info.title.slice(0, 20)}`, "m"));
  });

  it("prints slices and counts, and on the side what was rejected and what not read", async () => {
    const { code, out, err } = await run();
    expect(code).toBe(0);
    expect(out).toContain("3 rows read, 2 records, 0 raw items, 1 rejected\n");
    expect(out).toMatch(/^1 slice in .*out, /m);
    expect(out).toContain("microblog");
    expect(err).toMatch(/1 +.*likes/);
    expect(err).toContain("rejects.jsonl");
    expect(err).toContain("Not read: b.txt\n");
    const reject = JSON.parse(await readFile(join(scratch.dir, "out/rejects.jsonl"), "utf8")) as object;
    expect(reject).toMatchObject({ file: "a.csv", line: 3 });
  });

  it("reads a file once that is named twice, and names both", async () => {
    const args = ["--adapter", "map.json", "--out", "out", "--captured-at", "2026-05-27T08:00:00Z"];
    const { code, out, err } = await capture(["ingest", "in/a.csv", "in", ...args], { cwd: scratch.dir });
    expect(code).toBe(0);
    expect(out).toContain("3 rows read, 2 records, 0 raw items, 1 rejected\n");
    expect(err).toContain("warning a.csv is the same file as in/a.csv; it is read once\n");
    expect(err).toContain("Not read: in/b.txt\n");
  });

  it("takes the mapping that lies in the folder, where no adapter is named", async () => {
    const mapping = {
      mapping: 1,
      name: "notes",
      info: { title: "Notes", licence: "CC0-1.0" },
      sources: [{ name: "notes", files: ["*.csv"] }],
      defaults: { platform: "forum", lang: { value: "en" } },
      rules: [{ from: "notes", record: { id: "id", fields: { text: "body" } } }],
    };
    await scratch.write("own/mirrorlake-mapping.json", JSON.stringify(mapping));
    await scratch.write("own/notes.csv", "id,body\n1,The bridge opens\n");
    const args = [
      "--captured-at",
      "2026-05-27T08:00:00Z",
      "--author-salt",
      "a salt of a test",
      "--out",
      "own-out",
    ];
    const { code, out } = await capture(["ingest", "own", ...args], { cwd: scratch.dir });
    expect(code).toBe(0);
    expect(out).toContain("1 row read, 1 record, 0 raw items, 0 rejected\n");
    const none = await capture(["ingest", "own/notes.csv", ...args], { cwd: scratch.dir });
    expect(none.err).toContain("--adapter");
  });

  it("prints the report with --json, and nothing else", async () => {
    const { code, out } = await run("--json");
    expect(code).toBe(0);
    const report = JSON.parse(out) as IngestReport;
    expect(report).toMatchObject({ read: 3, records: 2, rejected: 1, out: join(scratch.dir, "out") });
    expect(report.slices[0]?.manifest.mirrorlake.filter.platform).toBe("microblog");
  });

  it("fails when strict, leaving nothing, and names the row and the way out", async () => {
    const { code, out, err } = await run("--strict");
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(err).toMatch(/^Error strict_reject: a\.csv, line 3: .*likes.*\n {2}.*--strict/);
    expect((await readdir(scratch.dir)).sort()).toEqual(["in", "map.json"]);
  });

  it("ends with 1 when no row fits, keeping the rejects that say why", async () => {
    await scratch.write("in/a.csv", "id,text,likes\n2,world,many\n");
    const { code, err } = await run();
    expect(code).toBe(1);
    expect(err).toContain("no row fits this adapter");
    expect(await readdir(join(scratch.dir, "out"))).toEqual(["rejects.jsonl"]);
  });

  it.each([
    [["--captured-at", "soon"], 2, "bad_captured_at"],
    [["--max-record-mib", "0"], 2, "whole number"],
    [["--author-salt", ""], 2, "author_salt_empty"],
    [["--adapter", "nothing"], 2, "unknown_adapter"],
    [["--adapter", "absent.json"], 1, "unreadable_mapping"],
    [["--platform", "nowhere"], 2, "unknown_platform"],
  ])("refuses %j", async (args, code, text) => {
    const result = await run(...args);
    expect(result.code).toBe(code);
    expect(result.err).toContain(text);
    expect((await readdir(scratch.dir)).sort()).toEqual(["in", "map.json"]);
  });

  describe("a row without a price, where the mapping has a constant currency", () => {
    const report = async (currency: object, more: object = {}) => {
      const record = {
        id: "sku",
        fields: { title: "name", "price.current": "price", "price.currency": currency, ...more },
      };
      const rule = { from: "notes", record, raw: [{ resource: "product", id: "sku", base: "record" }] };
      const defaults = { ...MAPPING.defaults, platform: "global-marketplace" };
      await scratch.write("map.json", JSON.stringify({ ...MAPPING, defaults, rules: [rule] }));
      await scratch.write("in/a.csv", "sku,name,price,drop\n1,Tea,3.49,\n2,Lamp,,\n3,Cup,,2\n");
      const { out } = await run("--replace", "--json");
      return JSON.parse(out) as IngestReport;
    };

    it.each([[{ value: "EUR" }], [{ path: "none", default: "EUR" }]])(
      "is a record without one: %j",
      async (currency) => {
        expect(await report(currency)).toMatchObject({ records: 3, raw: 3, rejected: 0 });
      },
    );

    it("is rejected where the row has another part of it, and the reason names what is missing", async () => {
      const { records, rejectsByReason } = await report({ value: "EUR" }, { "price.drop_7d": "drop" });
      expect(records).toBe(2);
      expect(rejectsByReason).toEqual({ "price.current: is missing": 1 });
    });
  });

  describe("with authors", () => {
    beforeEach(() =>
      scratch.write(
        "map.json",
        JSON.stringify({
          ...MAPPING,
          rules: [
            {
              from: "notes",
              record: {
                id: "id",
                fields: { text: "text", "author.uid_hash": { path: "likes", author_hash: true } },
              },
            },
          ],
        }),
      ),
    );

    const roots = async (args: readonly string[], env: Record<string, string> = {}) => {
      const when = ["--captured-at", "2026-05-27T08:00:00Z"];
      const line = ["ingest", "in", "--adapter", "map.json", ...when, ...args, "--json"];
      const { out, code } = await capture(line, { cwd: scratch.dir, env });
      expect(code).toBe(0);
      return (JSON.parse(out) as IngestReport).slices.map(({ root }) => root);
    };
    const install = (...args: string[]) => capture(["install", ...args], { cwd: scratch.dir });
    const saltIn = async (folder: string) => {
      const path = join(scratch.dir, folder, "author-salt");
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      return readFile(path, "utf8");
    };

    it("takes the salt of author ids from the environment", async () => {
      const own = await roots(["--out", "o1", "--lake", "lake"]);
      expect(await roots(["--out", "o2", "--lake", "lake"], { MIRRORLAKE_AUTHOR_SALT: "s" })).not.toEqual(
        own,
      );
      expect(await roots(["--out", "o3", "--lake", "lake"], { MIRRORLAKE_AUTHOR_SALT: "" })).toEqual(own);
    });

    it("makes no lake of its own: the lake that gets the slices has their salt, and hashes alike from then on", async () => {
      const first = await roots(["--out", "slices"]);
      expect((await readdir(scratch.dir)).sort()).toEqual(["in", "map.json", "slices"]);
      const { out } = await install("slices", "--lake", "lake");
      expect(out).toContain(`The lake has the salt of ${join(scratch.dir, "slices")} now`);
      expect(await saltIn("lake")).toBe(await saltIn("slices"));
      expect(await roots(["--out", "more", "--lake", "lake"])).toEqual(first);
      expect(await readdir(join(scratch.dir, "more"))).not.toContain("author-salt");
      expect((await install("more", "--lake", "lake")).out).not.toContain("salt");
    });

    it.skipIf(process.platform === "win32")(
      "takes no salt that others can read, as of slices that came with one",
      async () => {
        await roots(["--out", "slices"]);
        await chmod(join(scratch.dir, "slices", "author-salt"), 0o644);
        expect((await install("slices", "--lake", "lake")).out).not.toContain("salt");
        expect(await readdir(join(scratch.dir, "lake"))).not.toContain("author-salt");
      },
    );

    it("is told where authors are hashed with another salt than the lake's", { tags: "slow" }, async () => {
      await roots(["--out", "slices"]);
      await roots(["--out", "others"]);
      await install(join("slices", (await roots(["--out", "slices", "--replace"]))[0]!), "--lake", "lake");
      const { out } = await install("others", "--lake", "lake");
      expect(out).toContain(
        `Authors in ${join(scratch.dir, "others")} are hashed with another salt than the lake's`,
      );
      expect(await saltIn("lake")).toBe(await saltIn("slices"));
    });

    it("takes the salt of the default lake where there is one", async () => {
      await roots(["--out", "slices"]);
      await install("slices");
      expect(await saltIn(".mirrorlake/lake")).toBe(await saltIn("slices"));
      expect(await roots(["--out", "more"])).toEqual(
        await roots(["--out", "named", "--lake", ".mirrorlake/lake"]),
      );
      expect(await readdir(join(scratch.dir, "more"))).not.toContain("author-salt");
    });
  });

  it("leaves the lake without a salt where the slices have no authors", async () => {
    await run();
    const { out } = await capture(["install", "out", "--lake", "lake"], { cwd: scratch.dir });
    expect(out).not.toContain("salt");
    expect(await readdir(join(scratch.dir, "lake"))).not.toContain("author-salt");
  });
});
