import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeDataset } from "../../src/dataset/describe-dataset.js";
import type { WrittenSlice } from "../../src/staging/publish-slice.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { capture } from "../cli/capture.js";
import { withHash } from "../lake/items.js";
import { RICH_INFO, richItems } from "../sql/rich-lake.js";

let dir: string;
let slices: string;
let written: WrittenSlice[];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-describe-"));
  slices = join(dir, "slices");
  async function* items() {
    yield [
      ...richItems(),
      {
        kind: "record" as const,
        record: withHash(
          {
            id: "soc_mbl_pii",
            src: "social",
            platform: "microblog",
            lang: "en",
            text: "mail ana@example.com",
          },
          "2026-05-03T00:00:00Z",
        ),
      },
    ];
  }
  written = await writeSlices(items(), { out: slices, info: RICH_INFO });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

interface Node {
  readonly "@type": string;
  readonly "@id": string;
  readonly [key: string]: unknown;
}

interface Croissant {
  readonly [key: string]: unknown;
  readonly "@context": Readonly<Record<string, unknown>>;
  readonly distribution: readonly Node[];
  readonly recordSet: readonly (Node & {
    readonly field: readonly Node[];
    readonly key: readonly { "@id": string }[];
  })[];
}

async function describeAll(options: Partial<Parameters<typeof describeDataset>[1]> = {}) {
  const report = await describeDataset([slices], { out: join(dir, "about"), ...options });
  return {
    report,
    croissant: JSON.parse(await readFile(report.croissant, "utf8")) as Croissant,
    card: await readFile(report.card, "utf8"),
  };
}

it("removes what a killed process left", async () => {
  const out = join(dir, "again");
  await describeDataset([slices], { out });
  const names = await readdir(out);
  const left = join(out, `.${names[0]}.partial-0123456789abcdef`);
  await mkdir(left);
  await writeFile(join(left, names[0]!), "half");
  await describeDataset([slices], { out });
  expect(await readdir(out)).toEqual(names);
});

const count = (kind: "records" | "raw" | "vectors") =>
  written.reduce((sum, { manifest }) => sum + manifest.mirrorlake.counts[kind], 0);

describe("croissant.json", () => {
  it("has every member that Croissant 1.1 requires, of the type that it asks for", async () => {
    const { croissant } = await describeAll();
    expect(croissant).toMatchObject({
      "@type": "sc:Dataset",
      conformsTo: "http://mlcommons.org/croissant/1.1",
      name: "Rich",
      url: expect.stringMatching(/^urn:sha256:[0-9a-f]{64}$/),
      license: ["https://spdx.org/licenses/CC0-1.0"],
      creator: [{ "@type": "sc:Organization", name: "Nobody" }],
      datePublished: expect.stringMatching(/^2026-\d\d-\d\d$/),
    });
    expect(croissant.description).toContain(`${count("records")} records`);
    expect(croissant["@context"]).toMatchObject({
      "@language": "en",
      "@vocab": "http://schema.org/",
      sc: "http://schema.org/",
      cr: "http://mlcommons.org/croissant/",
      dct: "http://purl.org/dc/terms/",
      conformsTo: "dct:conformsTo",
      dataType: { "@id": "cr:dataType", "@type": "@vocab" },
      recordSet: "cr:recordSet",
    });
    expect(croissant.distribution.length).toBeGreaterThan(0);
  });

  it("names each file with its size and SHA-256, which are those of the file", async () => {
    const { croissant } = await describeAll();
    const files = croissant.distribution.filter((node) => node["@type"] === "cr:FileObject");
    const there = (await readdir(slices, { recursive: true })).filter((path) =>
      /\.(parquet|arrow)$/.test(path),
    );
    expect(files.map(({ contentUrl }) => contentUrl).sort()).toEqual(there.sort());
    for (const file of files) {
      const bytes = await readFile(join(slices, file.contentUrl as string));
      expect(file.contentSize).toBe(`${bytes.length} B`);
      expect(file.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
      expect(file.encodingFormat).toMatch(/^application\/vnd\.apache\.(parquet|arrow\.file)$/);
    }
  });

  it("gives every node one id, and refers to nodes that there are", async () => {
    const { croissant } = await describeAll();
    const nodes = [
      ...croissant.distribution,
      ...croissant.recordSet,
      ...croissant.recordSet.flatMap((set) => set.field),
    ];
    const ids = nodes.map((node) => node["@id"]);
    expect(new Set(ids).size).toBe(ids.length);
    const references = JSON.stringify(croissant.recordSet).matchAll(/\{"@id":"([^"]+)"\}/g);
    for (const [, id] of references) expect(ids).toContain(id);
    for (const { field, key } of croissant.recordSet) {
      expect(field.map((node) => node["@id"])).toEqual(
        expect.arrayContaining(key.map((node) => node["@id"])),
      );
      for (const node of field) {
        expect(node["@type"]).toBe("cr:Field");
        expect(node.dataType).toMatch(/^sc:(Text|Integer|Float|Boolean)$/);
        if (node.arrayShape !== undefined) expect(node.isArray).toBe(true);
      }
    }
  });

  it("names the columns that the files have, in their order", async () => {
    const { croissant } = await describeAll();
    for (const { "@id": set, field } of croissant.recordSet) {
      const slice = written.find(({ manifest }) => manifest.resources.some(({ name }) => name === set))!;
      const resource = slice.manifest.resources.find(({ name }) => name === set)!;
      const columns = resource.schema.fields.map(({ name }) => name).filter((name) => name !== "vector_row");
      expect(field.map(({ name }) => name)).toEqual(columns);
    }
  });

  it("has absolute addresses where the published folder is named, and what the caller says", async () => {
    const { croissant } = await describeAll({
      out: join(dir, "told"),
      baseUrl: "https://data.example.org/may",
      url: "https://example.org/may",
      name: "May",
      creators: ["A", "B"],
      published: "2026-06-01",
      version: "2.1.0",
    });
    expect(croissant).toMatchObject({
      name: "May",
      url: "https://example.org/may",
      creator: [{ name: "A" }, { name: "B" }],
      datePublished: "2026-06-01",
      version: "2.1.0",
    });
    expect(croissant.distribution[0]!.contentUrl).toMatch(
      /^https:\/\/data\.example\.org\/may\/[0-9a-f]{64}\//,
    );
    await expect(describeAll({ baseUrl: "not an address" })).rejects.toMatchObject({
      code: "invalid_description",
    });
    await expect(describeAll({ published: "soon" })).rejects.toMatchObject({ code: "invalid_description" });
  });
});

describe("the dataset card", () => {
  it("counts what the files hold, by platform, language, month and field", async () => {
    const { card, report } = await describeAll();
    const rows: Record<string, unknown>[] = [];
    for (const { dir: slice, manifest } of written) {
      if (manifest.mirrorlake.counts.records === 0) continue;
      rows.push(
        ...(await parquetReadObjects({
          file: await asyncBufferFromFile(join(slice, "records.parquet")),
          compressors,
        })),
      );
    }
    const tally = (of: (row: Record<string, unknown>) => unknown) =>
      rows.reduce((map, row) => map.set(of(row), (map.get(of(row)) ?? 0) + 1), new Map<unknown, number>());
    const { summary } = report;
    for (const [counts, key] of [
      [summary.platforms, (row: Record<string, unknown>) => row.platform],
      [summary.languages, (row: Record<string, unknown>) => row.lang],
      [
        summary.months,
        (row: Record<string, unknown>) => new Date(Number(row.prov_ts_ms)).toISOString().slice(0, 7),
      ],
    ] as const) {
      const told = counts.filter(({ records }) => records > 0).map(({ name, records }) => [name, records]);
      expect(told).toEqual([...tally(key)].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
      for (const { name, records, raw } of counts)
        expect(card).toContain(`| ${name} | ${records} | ${raw} |`);
    }
    for (const { name, records } of summary.fields) {
      expect(rows.filter((row) => row[name] !== null && row[name] !== undefined)).toHaveLength(records);
    }
    expect(card).toContain(`| \`id\` | ${rows.length} | 100.0 % |`);
    expect(card).toContain(`| test-embedding-1 | 1536 | ${count("vectors")} |`);
    expect(card).toContain("[CC0-1.0](https://spdx.org/licenses/CC0-1.0)");
    expect(card).toMatch(/^---\npretty_name: "Rich"\nlicense:\n {2}- "CC0-1.0"\nlanguage:\n/);
    expect(card).toMatch(/found \d+ emails, \d+ phones, \d+ handles/);
    expect(card).toMatch(/\| `records\.text` \| 1 \|/);
    expect(card).not.toContain("ana@example.com");
  });

  it("says so where nobody searched for personal data; the same slices give the same bytes", async () => {
    const first = await describeAll({ pii: false });
    expect(first.card).toContain("were **not** searched");
    const again = await describeAll({ pii: false, out: join(dir, "again") });
    expect([again.card, again.croissant]).toEqual([first.card, first.croissant]);
  });

  it("is made by the command line, of slices and of a lake", { tags: "slow", timeout: 60_000 }, async () => {
    const lake = join(dir, "lake");
    const run = async (...args: string[]) => {
      const { code, out, err } = await capture(args, { cwd: dir });
      expect({ code, err }).toEqual({ code: 0, err: "" });
      return out;
    };
    await run("install", "slices", "--lake", lake);
    expect(await run("describe", "slices", "--out", "a")).toContain("described in");
    const report = JSON.parse(await run("describe", "--lake", lake, "--out", "b", "--json")) as {
      summary: { slices: number };
    };
    expect(report.summary.slices).toBe(written.length);
    expect(await readFile(join(dir, "b", "croissant.json"), "utf8")).toBe(
      await readFile(join(dir, "a", "croissant.json"), "utf8"),
    );
  });
});
