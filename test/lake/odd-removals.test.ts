import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLake, installSlices, openLake, type RemovalTarget, removeRecords } from "mirrorlake";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { distinctTargets } from "../../src/lake/removals/remove-records.js";
import { type RemovalEntry, RemovalList } from "../../src/store/removals/removal-list.js";
import { capture } from "../cli/capture.js";
import { ODD_IDS, ODD_POST, oddSlices } from "../support/odd-ids.js";
import { turnsDuring } from "../support/turns-during.js";

const MEMORY = { account: "memory", limits: "off" } as const;
let dir: string;
let slices: string;
let lake: string;
let made = 0;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-odd-removals-"));
  slices = await oddSlices(dir);
  await installSlices([slices], { lake: join(dir, "installed") });
});
beforeEach(() => {
  lake = join(dir, `lake-${made++}`);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** More time than removals may be gone through in one turn of the event loop. */
const LONG_MS = 15;

/** A value that takes long to be read. */
function slow<T>(value: T): T {
  const end = performance.now() + LONG_MS;
  while (performance.now() < end);
  return value;
}

/** A lake of the slices. */
const odd = () => cp(join(dir, "installed"), lake, { recursive: true });

const remove = (targets: readonly RemovalTarget[]) => removeRecords(targets, { lake, reason: "gdpr" });

async function shown(path: string): Promise<{ articles: string[]; cids: string[] }> {
  const open = await openLake(path, MEMORY);
  try {
    const page = await open.call("raw.forum.comments", { post_id: ODD_POST, count: 50 });
    const { data } = await open.call("raw.global-news.articles", { count: 50 });
    return {
      articles: (data as unknown as { items: { extra: { url: string } }[] }).items.map(
        (item) => item.extra.url,
      ),
      cids: (page.data as { items: { cid: string }[] }).items.map(({ cid }) => cid),
    };
  } finally {
    await open.close();
  }
}

it("a target by a platform's own id hides what is stored in another form, with its parts", async () => {
  await odd();
  const ids = Object.values(ODD_IDS);
  const targets = ids.flatMap((id): RemovalTarget[] => [
    { kind: "raw", platform: "global-news", resource: "article", id },
    { kind: "raw", platform: "forum", resource: "comment", id: `c:${id}` },
  ]);
  const report = await remove(targets);
  expect(report).toMatchObject({ targets: 10, added: 10, unmatched: [] });
  expect(report.hidden).toMatchObject({ records: 5, raw: 15 });
  expect(await shown(lake)).toEqual({ articles: [], cids: [] });
  expect(await remove(targets)).toMatchObject({ added: 0, derived: 0, unmatched: [] });
});

it.each(["percent", "long", "short"] as const)("so does the id of a record: %s", async (name) => {
  await odd();
  const report = await remove([{ kind: "record", id: `web_gnw_${ODD_IDS[name]}` }]);
  expect(report).toMatchObject({ unmatched: [], hidden: { records: 1, raw: 1 } });
  expect((await shown(lake)).articles).not.toContain(ODD_IDS[name]);
});

it("holds for what is installed later, and a target that matched nothing is named", async () => {
  await createLake(lake, [{ platform: "forum", lang: "en", text: "Something else" }]);
  const target = { kind: "raw", platform: "global-news", resource: "article", id: ODD_IDS.long } as const;
  expect(await remove([target])).toMatchObject({
    added: 1,
    unmatched: [target],
    hidden: { records: 0, raw: 0 },
  });
  await installSlices([slices], { lake });
  expect((await shown(lake)).articles).not.toContain(ODD_IDS.long);
});

it("the stored form hides what a program wrote as it is", async () => {
  const id = `web_gnw_${ODD_IDS.percent}`;
  await createLake(lake, [{ platform: "global-news", lang: "en", id, title: "Written" }]);
  const report = await remove([{ kind: "record", id: "web_gnw_https://example.com/a%2520b" }]);
  expect(report).toMatchObject({ unmatched: [], hidden: { records: 1 } });
});

it("a removal of an id that no record can have leaves the removals readable", async () => {
  await odd();
  const id = `two words ${"x".repeat(390)}`;
  await remove([{ kind: "raw", platform: "global-news", resource: "article", id }]);
  await remove([{ kind: "raw", platform: "global-news", resource: "article", id: ODD_IDS.space }]);
  expect((await shown(lake)).articles).not.toContain(ODD_IDS.space);
});

it("says of every kind of target whether it matched, and warns on the command line", async () => {
  await odd();
  const none: RemovalTarget[] = [
    { kind: "record", id: "web_gnw_nothing" },
    { kind: "raw", platform: "forum", resource: "comment", id: "nothing" },
    { kind: "author", platform: "forum", id: "nobody" },
    { kind: "author", platform: "global-news", id: "u 1" },
    { kind: "hash", hash: `0x${"0".repeat(64)}` },
  ];
  const some: RemovalTarget[] = [
    { kind: "author", platform: "forum", id: "u 1" },
    { kind: "raw", platform: "forum", resource: "post", id: ODD_POST },
  ];
  expect((await remove([...none, ...some])).unmatched).toEqual(none);
  const args = ["remove", "--id", "raw:forum/comment/c:9", "--reason", "gdpr", "--lake", lake];
  const { code, err } = await capture(args);
  expect(code).toBe(0);
  expect(err).toMatch(/1 target matched nothing in this lake: raw:forum\/comment\/c:9;/);
});

it("what a removal was given counts, whatever becomes of it after the call", async () => {
  await odd();
  const options = { lake, reason: "gdpr" };
  const targets: RemovalTarget[] = [{ kind: "raw", platform: "forum", resource: "post", id: ODD_POST }];
  const called = removeRecords(targets, options);
  options.lake = "/nowhere";
  options.reason = "";
  targets.length = 0;
  expect(await called).toMatchObject({ targets: 1, added: 1, unmatched: [] });
});

it("the event loop turns while many targets are checked, and each is taken once", async () => {
  const targets = Array.from({ length: 16 }, (_, n) => ({
    kind: "record" as const,
    get id() {
      return slow(`web_gnw_${n % 8}`);
    },
  }));
  const { result, turns } = await turnsDuring(() => distinctTargets(targets));
  expect(result).toEqual(Array.from({ length: 8 }, (_, n) => ({ kind: "record", id: `web_gnw_${n}` })));
  expect(turns).toBeGreaterThanOrEqual(16);
});

it("the event loop turns while a long list of removals is written and read", async () => {
  const note = { at: "2026-06-01T00:00:00Z", reason: "gdpr — “all”" };
  const count = 40_000;
  const entries = Array.from(
    { length: count },
    (_, n): RemovalEntry => ({
      removal: { kind: "raw", platform: "forum", resource: "comment", id: `é${n}` },
      ...note,
      ...(n % 2 === 0 ? {} : { derived: true }),
    }),
  );
  const slowly = entries.map((entry, n) =>
    n % 4096 === 0 ? { ...entry, removal: { ...entry.removal, toJSON: () => slow(entry.removal) } } : entry,
  );
  const { result: digest, turns: written } = await turnsDuring(() => new RemovalList(slowly).digest());
  expect(written).toBeGreaterThanOrEqual(Math.ceil(count / 4096));
  let text = "";
  for await (const piece of new RemovalList(entries).text(digest)) text += piece;
  const { result: list, turns: read } = await turnsDuring(() => RemovalList.parse(Buffer.from(text), "file"));
  expect([...list.entries()]).toEqual(entries);
  expect(await list.digest()).toBe(digest);
  expect(read).toBeGreaterThan(2);
  const damaged = Buffer.from(text.replace("é39999", "é39998"));
  await expect(RemovalList.parse(damaged, "file")).rejects.toMatchObject({ code: "removals_corrupt" });
  await expect(RemovalList.parse(Buffer.from("{}"), "file")).rejects.toMatchObject({
    code: "removals_corrupt",
  });
});
