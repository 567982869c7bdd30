import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findPii, maskPii } from "../../src/dataset/pii/find-pii.js";
import type { PiiReport } from "../../src/dataset/pii/pii-report.js";
import { authorSaltOf } from "../../src/lake/author-salt.js";
import { capture } from "../cli/capture.js";

const kinds = (text: string) => findPii(text).map(({ kind, text: found }) => `${kind} ${found}`);

describe("what looks like personal data", () => {
  it.each([
    ["Write to Ana.Diaz+news@mail.example.co.uk!", ["email Ana.Diaz+news@mail.example.co.uk"]],
    ["联系邮箱：王芳123@公司.example.cn，谢谢", ["email 王芳123@公司.example.cn"]],
    ["call +44 20 7946 0958 or 0086-138-1234-5678", ["phone +44 20 7946 0958", "phone 0086-138-1234-5678"]],
    ["电话13812345678，或 138 1234 5678，或 +86 139-8765-4321", 3],
    ["固话 010-62345678 或 (0755)8234567", 2],
    ["全角 １３８１２３４５６７８", ["phone 13812345678"]],
    ["WA 0812-3456-7890 ya kak", ["phone 0812-3456-7890"]],
    ["Office: (415) 555-2671.", ["phone (415) 555-2671"]],
    ["(415)555-2671, 1-415-555-2671 or +1‑415‑555‑2671, +1–415–555–2671, +1·415·555·2671", 5],
    ["chat: https://wa.me/6281234567890 or wa.me/+14155552671, api.whatsapp.com/send?phone=14155552671", 3],
    ["phone=+14155552671, tel:+49-30-123456", ["phone +14155552671", "phone +49-30-123456"]],
    ["62 812 3456 7890 atau 6281234567890", 2],
    ["Tél. 06 12 34 56 78 ou 01.23.45.67.89", 2],
    ["Ruf an: 0171 1234567, 030/1234567, (030) 123456", 3],
    ["07911 123456 or 020 7946 0958; 03-1234-5678; 0412 345 678", 4],
    ["see https://example.com/?email=ana%40example.com&x=1", ["email ana@example.com"]],
    ["ana (at) example (dot) com, bob[at]example.org", ["email ana@example.com", "email bob@example.org"]],
    ["‫+٩٦٦ ٥٠ ١٢٣ ٤٥٦٧‬", 1],
    [
      "write to ana @ example.com or bob@ mail.example.org",
      ["email ana@example.com", "email bob@mail.example.org"],
    ],
    ["打这个电话就可以18912003295，13162001208，李先生", ["phone 18912003295", "phone 13162001208"]],
    ["telepon . 022 - 2003172 fax . 022 - 2008829 enak", ["phone 022 - 2003172", "phone 022 - 2008829"]],
    ["apa nomer ini 622120065555 benar", ["phone 622120065555"]],
    ["Tél : 0612345678, Handy 01711234567, Tel. 030123456", 3],
    ["call 07911123456 or phone: 7946095, Phone number: 4155552671", 3],
    ["телефон: 84951234567; โทร 0812345678; 전화 0212345678; 電話：0312345678", 4],
    ["call 4155552671 today. Sms 0612345678. Hp:85728001286", 3],
    ["001 415 555 2671, 0044 7911 123456, 0086 138 1234 5678", 3],
    ["thanks @jane_doe and @微博用户, see https://example.com/@clip.maker/video/7301234567890123456", 3],
  ])("is found: %s", (text, expected) => {
    if (typeof expected === "number") expect(kinds(text)).toHaveLength(expected);
    else expect(kinds(text)).toEqual(expected);
  });

  it.each([
    "7301234567890123456",
    "price 1,299.00, was 1.599,00; 2026-05-27T08:00:00Z; 192.168.100.200",
    "order 12345678901 of batch 99-17",
    "01.02.2026 10:30, 01-02-2026 1000, 2026/05/27 08, 00:12:34 00:56:78",
    "0171.1234567.8 and 0.1711234567, 01 02 03, 0612345678",
    "agent 007 123 4567, 007-123-4567, 00 11 22 33",
    "13800138000.jpg, see 13800138000.mp4 and 0171 1234567.PDF",
    "nomor resi : 030360019614718, norek . 4110015187, no laporan sy 11641708513, Id ff: 1496372080",
    "handphone inv / 20180910 / xviii / ix / 201382485, telepon, kamis ( 5/4/12 )",
    "hp 20180107, phone: 20180107, telephone 1299000, the hotel 1234567890, HP M160 - 1600",
    "1.00,13812345678 and 13812345678,5 and 12,13812345678",
    "meet @ noon.see you, party @ dr.dre, sale @ 5.50",
    "look (at) the dot, meet me [at] noon",
    "https://example.com/p/13812345678/x",
    "sha 13812345678abc #13812345678",
    "a @ b, 5 @ 3.50, me@localhost",
    "",
  ])("is not found: %s", (text) => {
    expect(kinds(text)).toEqual([]);
  });

  const word = fc.stringMatching(/^[a-z][a-z0-9]{2,9}$/);
  const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
  const email = fc
    .tuple(word, word, fc.constantFrom("com", "cn", "co.id"))
    .map(([name, host, top]) => `${name}@${host}.${top}`);
  const phone = fc.oneof(
    fc.tuple(fc.constantFrom("3", "5", "8", "9"), digits(9)).map(([next, rest]) => `1${next}${rest}`),
    fc
      .tuple(fc.constantFrom("1", "44", "62", "86", "351"), digits(3), digits(3), digits(3))
      .map(([country, ...groups]) => `+${country} ${groups.join(" ")}`),
  );
  const handle = word.map((name) => `@${name}`);

  it("is found wherever it stands between words of any script, once each", () => {
    const between = fc.constantFrom(" ", "\n", "，", "。", "! ", " (", "：");
    const prose = fc.constantFrom("请联系", "hubungi", "llame a", "see", "和", "");
    const pieces = fc.array(
      fc.tuple(
        prose,
        between,
        fc.oneof(
          email.map((text) => ({ kind: "email", text })),
          phone.map((text) => ({ kind: "phone", text })),
          handle.map((text) => ({ kind: "handle", text })),
        ),
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(pieces, (made) => {
        const text = made.map(([before, gap, { text }]) => `${before}${gap}${text} ; `).join("");
        const order = ["email", "phone", "handle"];
        const expected = order.flatMap((kind) =>
          made.map(([, , piece]) => piece).filter((p) => p.kind === kind),
        );
        expect(findPii(text)).toEqual(expected);
      }),
    );
  });

  it("is shown only masked", () => {
    fc.assert(
      fc.property(fc.oneof(email, phone, handle), (text) => {
        const [match] = findPii(` ${text} `);
        const masked = maskPii(match!);
        expect(masked).toContain("*");
        expect(masked).not.toContain(text.slice(1, -1));
        expect(masked.replace(/\D/g, "").length).toBeLessThanOrEqual(4);
      }),
    );
  });

  it("is looked for in time that grows with the text, whatever the text", () => {
    for (const text of [
      "1-".repeat(50_000),
      "a@".repeat(50_000),
      "@a.".repeat(50_000),
      "+1 ".repeat(50_000),
      "01 ".repeat(50_000),
      "a (at) ".repeat(50_000),
      "wa.me/".repeat(50_000),
    ]) {
      expect(Array.isArray(findPii(text))).toBe(true);
    }
  });
});

describe("the report of personal data", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "mirrorlake-pii-"));
    const rows = [
      { id: "a", text: "mail me: ana@example.com or ana@example.com", uid: "u1" },
      { id: "b", text: "no one to find here", uid: "u1" },
      { id: "c", text: "联系电话 13812345678 @ana", uid: "u2" },
    ];
    await writeFile(join(dir, "notes.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
    const mapping = {
      mapping: 1,
      name: "notes",
      info: { title: "Notes", licence: "CC0-1.0" },
      sources: [{ name: "notes", files: ["*.jsonl"] }],
      defaults: { platform: "microblog", lang: { value: "en" } },
      rules: [
        {
          from: "notes",
          record: {
            id: "id",
            fields: { text: "text", "author.uid_hash": { path: "uid", author_hash: true } },
          },
          raw: [{ resource: "post", id: "id", base: "record" }],
        },
      ],
    };
    await writeFile(join(dir, "map.json"), JSON.stringify(mapping));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const ingest = ["ingest", "notes.jsonl", "--adapter", "map.json", "--captured-at", "2026-05-27T08:00:00Z"];
  const run = async (...args: string[]) => {
    const { code, out, err } = await capture(args, { cwd: dir });
    expect(err).toBe("");
    expect(code).toBe(0);
    return out;
  };

  it("counts by column, in slices and in a lake, with masked examples", async () => {
    const ingested = JSON.parse(await run(...ingest, "--out", "slices", "--pii", "--json")) as {
      pii: PiiReport;
    };
    const report = JSON.parse(await run("pii", "slices", "--json")) as PiiReport;
    expect(report).toEqual(ingested.pii);
    expect(report).toMatchObject({ slices: 1, records: 3, raw: 3, total: { email: 4, phone: 2, handle: 2 } });
    expect(report.columns.find(({ column }) => column === "text")).toEqual({
      table: "records",
      column: "text",
      texts: 3,
      found: {
        email: { values: 1, matches: 2, examples: ["a***@e***.com"] },
        phone: { values: 1, matches: 1, examples: ["13*******78"] },
        handle: { values: 1, matches: 1, examples: ["@a***"] },
      },
    });
    expect(report.columns.map(({ column }) => column)).toContain("post.text");
    expect(JSON.stringify(report)).not.toMatch(/ana@|13812345678/);
    const text = await run("pii", "slices");
    expect(text).toContain("4 emails, 2 phones, 2 handles in 3 records and 3 raw items of 1 slice");
    expect(text).not.toMatch(/ana@|13812345678/);
  });

  it("finds e-mail addresses that are ids, of which numbers are no phone numbers", async () => {
    const rows = ["ana@example.com", "13812345678"].map((id) => ({ id, text: "hello there" }));
    await writeFile(join(dir, "notes.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
    const mapping = JSON.parse(await readFile(join(dir, "map.json"), "utf8"));
    mapping.rules[0].raw = [{ resource: "memo", id: "id", author: "id", data: { "user.id": "id" } }];
    delete mapping.rules[0].record.fields["author.uid_hash"];
    await writeFile(join(dir, "map.json"), JSON.stringify(mapping));
    await run(...ingest, "--out", "slices");
    const report = JSON.parse(await run("pii", "slices", "--json")) as PiiReport;
    expect(report.total).toEqual({ email: 4, phone: 0, handle: 0 });
    expect(report.columns.slice(0, 4)).toEqual(
      [
        ["records", "id"],
        ["raw", "memo.author"],
        ["raw", "memo.id"],
        ["raw", "memo.user.id"],
      ].map(([table, column]) => expect.objectContaining({ table, column, texts: 2 })),
    );
    expect(JSON.stringify(report)).not.toMatch(/ana@/);
  });

  it("hashes authors with the lake's own salt by default: the same in one lake, others in another", async () => {
    const hashes = async (out: string, ...args: string[]) => {
      const report = JSON.parse(await run(...ingest, "--out", out, ...args, "--json")) as {
        slices: { root: string }[];
      };
      return report.slices[0]!.root;
    };
    const first = await hashes("a", "--lake", "one");
    expect(await hashes("b", "--lake", "one")).toBe(first);
    expect(await hashes("c", "--lake", "two")).not.toBe(first);
    const salt = await authorSaltOf(join(dir, "one"));
    expect(salt).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(await hashes("d", "--author-salt", salt, "--lake", "two")).toBe(first);
    expect((await stat(join(dir, "one", "author-salt"))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(dir, "one", "author-salt"), "utf8")).toBe(`${salt}\n`);
  });

  it("makes one salt for all who ask at once, and refuses a file that holds none", async () => {
    const lake = join(dir, "lake");
    await authorSaltOf(join(dir, "other"));
    const salts = await Promise.all(Array.from({ length: 10 }, () => authorSaltOf(join(dir, "other"))));
    expect(new Set(salts).size).toBe(1);
    await authorSaltOf(lake);
    await writeFile(join(lake, "author-salt"), "pepper");
    await expect(authorSaltOf(lake)).rejects.toMatchObject({ code: "author_salt_invalid" });
  });
});
