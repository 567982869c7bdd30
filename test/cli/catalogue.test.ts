import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { loadCatalogue } from "../../src/contract/service/catalogue-file/load-catalogue.js";
import { openApiDocument } from "../../src/contract/service/openapi/openapi-document.js";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { takeInstallLock } from "../../src/lake/install/install-lock.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { lakeCatalogue } from "../../src/lake/lake-catalogue.js";
import { findUnused } from "../../src/lake/maintain/remove-unused.js";
import { readSettings } from "../../src/lake/settings.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { EMBEDDER, QUICK } from "../evolution/support.js";
import { batches, INFO, withHash } from "../lake/items.js";
import { CAN_FAULT, stepThrough } from "../support/faults/run-with-faults.js";
import { capture } from "./capture.js";

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "mirrorlake-catalogue-"));
  await mkdir(join(cwd, "lake"));
  await writeFile(join(cwd, "lake", "mirrorlake.json"), JSON.stringify({ formatVersion: 1, kept: true }));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

const run = (...args: string[]) => capture(["catalogue", ...args], { cwd });
const put = (name: string, content: unknown) => writeFile(join(cwd, name), JSON.stringify(content));
const ownRow = {
  id: "raw.grocery-market.price-path",
  operation: "price-path",
  options: { id: "product_id" },
};
const lakeRows = async () =>
  (await lakeCatalogue(join(cwd, "lake"), await readSettings(join(cwd, "lake")))).rows;

describe("list", () => {
  test("shows every endpoint, or those of a group", async () => {
    const all = await run("list");
    expect(all.code).toBe(0);
    expect(all.out).toContain("POST /v1/search");
    expect(all.out).toContain(`${CATALOGUE.length} endpoints in 15 groups`);
    const group = await run("list", "--group", "microblog");
    expect(group.out).toContain("6 endpoints in 1 group\n");
  });

  test("refuses a group that there is not", async () => {
    const { code, out, err } = await run("list", "--group", "micrblog");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain('no endpoint is of the group "micrblog"; did you mean "microblog"?');
    expect(err).toContain("name one of ");
    const json = await run("list", "--group", "micrblog", "--json");
    expect(json.code).toBe(2);
    expect(JSON.parse(json.out)).toMatchObject({ error: { code: "unknown_group" } });
  });

  test("prints, as JSON, a catalogue file that loads to the same catalogue", async () => {
    const { out } = await run("list", "--json");
    const loaded = loadCatalogue([JSON.parse(out)]);
    expect(loaded.map(({ params: _p, data: _d, ...rest }) => rest)).toEqual(
      CATALOGUE.map(({ params: _p, data: _d, ...rest }) => rest),
    );
  });
});

describe("check", () => {
  test("says what would change and changes nothing", async () => {
    await put("rows.json", { catalogue: 1, endpoints: [ownRow, { id: "search", cap_per_second: 5 }] });
    const { out } = await run("check", "rows.json", "--lake", "lake", "--json");
    expect(JSON.parse(out)).toEqual({
      added: [ownRow.id],
      changed: ["search"],
      removed: [],
      total: CATALOGUE.length + 1,
      notes: [],
    });
    expect(await lakeRows()).toBe(CATALOGUE);
  });

  test("finds nothing changed in the rows that list prints", async () => {
    await put("rows.json", JSON.parse((await run("list", "--json")).out));
    const { out } = await run("check", "rows.json", "--json");
    expect(JSON.parse(out)).toEqual({
      added: [],
      changed: [],
      removed: [],
      total: CATALOGUE.length,
      notes: [],
    });
  });

  test("names the row and field of a wrong file, and ends with 2", async () => {
    await put("rows.json", { catalogue: 1, endpoints: [{ ...ownRow, cap_per_second: "many" }] });
    const { code, err } = await run("check", "rows.json");
    expect(code).toBe(2);
    expect(err).toContain("endpoints[0] (raw.grocery-market.price-path).cap_per_second");
  });

  test.each(["nowhere.json", "text.json"])("cannot read %s, and says so", async (name) => {
    await writeFile(join(cwd, "text.json"), "no JSON");
    const { code, err } = await run("check", name);
    expect(code).toBe(2);
    expect(err).toContain("unreadable_file");
    expect(err).toContain(name);
  });
});

describe("import", () => {
  test("extends a lake's catalogue, once and again, and keeps its other settings", async () => {
    await put("one.json", { catalogue: 1, endpoints: [ownRow] });
    await put("two.json", {
      catalogue: 1,
      remove: ["raw.forum.replies"],
      endpoints: [{ id: "search", cap_per_second: 5 }],
    });
    expect((await run("import", "one.json", "--lake", "lake")).out).toContain(
      `${CATALOGUE.length + 1} endpoints in all`,
    );
    expect((await run("import", "two.json", "--lake", "lake")).out).toContain(
      `${CATALOGUE.length} endpoints in all`,
    );
    const rows = await lakeRows();
    expect(rows.map(({ id }) => id)).toContain(ownRow.id);
    expect(rows.map(({ id }) => id)).not.toContain("raw.forum.replies");
    expect(rows.find(({ id }) => id === "search")).toMatchObject({ capPerSecond: 5 });
    expect(await readSettings(join(cwd, "lake"))).toEqual({
      formatVersion: 1,
      kept: true,
      catalogue: "catalogue.json",
    });
  });

  test("takes the remote's OpenAPI document, into a file", { tags: "slow" }, async () => {
    await put("openapi.json", openApiDocument(CATALOGUE));
    const { code, out } = await run("import", "openapi.json", "--out", "rows.json", "--json");
    expect(code).toBe(0);
    const report = JSON.parse(out) as { changed: string[]; notes: string[] };
    expect(report.changed).toHaveLength(CATALOGUE.filter(({ label }) => label !== "specified").length);
    expect(report.notes).toContain("POST /v1/search: kept as service.md specifies it");
    expect(loadCatalogue([JSON.parse(await readFile(join(cwd, "rows.json"), "utf8"))])).toHaveLength(
      CATALOGUE.length,
    );
    expect(await lakeRows()).toBe(CATALOGUE);
    const own = join("lake", "mirrorlake.json");
    expect((await run("import", "openapi.json", "--out", own, "--lake", "lake")).code).toBe(2);
    expect(await readSettings(join(cwd, "lake"))).not.toHaveProperty("endpoints");
  });

  test("of a wrong file leaves the lake as it was", async () => {
    await put("one.json", { catalogue: 1, endpoints: [ownRow] });
    await run("import", "one.json", "--lake", "lake");
    await put("bad.json", { catalogue: 1, endpoints: [{ id: "mine", operation: "list", options: {} }] });
    expect((await run("import", "bad.json", "--lake", "lake")).code).toBe(2);
    expect(await lakeRows()).toHaveLength(CATALOGUE.length + 1);
  });
});

describe("a lake's own rows", () => {
  const remove = { catalogue: 1, remove: [ownRow.id] };
  const bargains = { id: "raw.grocery-market.bargains", operation: "records", options: { sort: "drop_7d" } };

  test("are removed again", async () => {
    await put("own.json", { catalogue: 1, endpoints: [bargains] });
    await put("remove.json", { catalogue: 1, remove: [bargains.id] });
    await run("import", "own.json", "--lake", "lake");
    const checked = await run("check", "remove.json", "--lake", "lake", "--json");
    expect(JSON.parse(checked.out)).toMatchObject({ removed: [bargains.id], total: CATALOGUE.length });
    const { code, out } = await run("import", "remove.json", "--lake", "lake", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ removed: [bargains.id], total: CATALOGUE.length });
    expect(await lakeRows()).toHaveLength(CATALOGUE.length);
    expect((await run("import", "remove.json", "--lake", "lake")).code).toBe(2);
  });

  test("of a platform of slices are removed, and check says so", async () => {
    await put("remove.json", remove);
    const { out } = await run("check", "remove.json", "--lake", "lake", "--json");
    expect(JSON.parse(out)).toMatchObject({ removed: [ownRow.id], total: CATALOGUE.length });
    expect((await run("import", "remove.json", "--lake", "lake")).code).toBe(0);
    expect(await lakeRows()).toHaveLength(CATALOGUE.length);
  });

  test("do not change where a file says nothing new", async () => {
    await put("own.json", { catalogue: 1, endpoints: [ownRow, bargains] });
    await put("nothing.json", { catalogue: 1, endpoints: [] });
    await run("import", "own.json", "--lake", "lake");
    const { out } = await run("import", "nothing.json", "--lake", "lake", "--json");
    expect(JSON.parse(out)).toMatchObject({ added: [], changed: [], removed: [] });
  });

  test("are made anew where their file is lost", async () => {
    await put("own.json", { catalogue: 1, endpoints: [ownRow] });
    await run("import", "own.json", "--lake", "lake");
    await rm(join(cwd, "lake", "catalogue.json"));
    await expect(lakeRows()).rejects.toMatchObject({
      code: "unreadable_file",
      remedy: expect.stringContaining("mirrorlake catalogue import"),
    });
    expect((await run("import", "own.json", "--lake", "lake")).code).toBe(0);
    expect(await lakeRows()).toHaveLength(CATALOGUE.length + 1);
  });
});

describe("rows of a platform that slices bring", () => {
  const platform = { slug: "corner-shop", domain: "ecommerce", code: "cor", name: "Corner shop" } as const;
  const products = "raw.corner-shop.products";
  const ranking = "raw.corner-shop.ranking";

  beforeEach(async () => {
    const record = withHash(
      {
        ...{ id: "eco_cor_1", src: "ecommerce", platform: "corner-shop", lang: "en", title: "Tea" },
        price: { current: 8, currency: "EUR" },
      },
      "2026-05-31T00:00:00Z",
    );
    const info = { ...INFO, platforms: [platform] };
    const raw = (lang: string): SliceItem => ({
      kind: "raw",
      raw: {
        ...{ platform: "corner-shop", lang, resource: "price", id: `1-${lang}`, parent: "1" },
        captured_at: "2026-05-31T00:00:00Z",
        score: 1,
        data: { ts: "2026-05-31T00:00:00Z", current: 8, currency: "EUR" },
      },
    });
    const items: SliceItem[] = [{ kind: "record", record }, raw("en"), raw("de")];
    await writeSlices(batches(items), { out: join(cwd, "slices"), info });
    await installSlices([join(cwd, "slices")], { lake: join(cwd, "lake"), ...QUICK });
  });

  const endpoints = async () => {
    const lake = await openLake(join(cwd, "lake"), { account: "memory", embedder: EMBEDDER });
    const rows = lake.catalogue;
    await lake.close();
    return rows;
  };

  test("are listed as the open lake has them, each once", async () => {
    const { out } = await run("list", "--lake", "lake", "--json");
    const { endpoints: listed } = JSON.parse(out) as { endpoints: { id: string }[] };
    expect(listed).toHaveLength(CATALOGUE.length + 5);
    expect(listed.map(({ id }) => id)).toEqual((await endpoints()).map(({ id }) => id));
    expect((await run("list", "--lake", "lake", "--group", "corner-shop")).out).toContain("5 endpoints");
  });

  test("stay what they are where a file has them as list prints them, and only what differs is kept", async () => {
    const { endpoints: listed } = JSON.parse((await run("list", "--lake", "lake", "--json")).out);
    await put("same.json", { catalogue: 1, endpoints: listed });
    const none = { added: [], changed: [], removed: [], total: CATALOGUE.length + 5 };
    expect(JSON.parse((await run("check", "same.json", "--lake", "lake", "--json")).out)).toMatchObject(none);
    expect(JSON.parse((await run("import", "same.json", "--lake", "lake", "--json")).out)).toMatchObject(
      none,
    );
    const edited = (row: { id: string }) => (row.id === ranking ? { ...row, cap_per_second: 3 } : row);
    await put("one.json", { catalogue: 1, endpoints: listed.map(edited) });
    const imported = await run("import", "one.json", "--lake", "lake", "--json");
    expect(JSON.parse(imported.out)).toMatchObject({ ...none, changed: [ranking] });
    const own = JSON.parse(await readFile(join(cwd, "lake", "catalogue.json"), "utf8"));
    expect(own.endpoints.map(({ id }: { id: string }) => id)).toEqual([ranking]);
    const row = (await endpoints()).find(({ id }) => id === ranking)!;
    expect(row.capPerSecond).toBe(3);
    expect(row.params.safeParse({ freshness: "90d" }).success).toBe(true);
    expect(row.params.safeParse({ freshness: "91d" }).success).toBe(false);
  });

  test("are changed field by field, as shipped ones are, and hold without the slices", async () => {
    await put("cheap.json", { catalogue: 1, endpoints: [{ id: products, price_usd: "0.000010" }] });
    const changes = { added: [], changed: [products], removed: [], total: CATALOGUE.length + 5 };
    const checked = await run("check", "cheap.json", "--lake", "lake", "--json");
    expect(JSON.parse(checked.out)).toMatchObject(changes);
    const imported = await run("import", "cheap.json", "--lake", "lake", "--json");
    expect(JSON.parse(imported.out)).toMatchObject(changes);
    const open = await openLake(join(cwd, "lake"), { account: "memory", embedder: EMBEDDER });
    const { data, meta } = await open.call(products, { count: 1, sort: "drop_7d" });
    await open.close();
    expect(data).toMatchObject({ items: [{ title: "Tea" }] });
    expect(meta.charged_usd).toBe("0.000010");
    expect((await lakeRows()).find(({ id }) => id === products)).toMatchObject({ operation: "records" });
  });

  test("are removed, and check says how many are left", async () => {
    await put("remove.json", { catalogue: 1, remove: [ranking] });
    const removal = { added: [], changed: [], removed: [ranking], total: CATALOGUE.length + 4 };
    const checked = await run("check", "remove.json", "--lake", "lake", "--json");
    expect(JSON.parse(checked.out)).toMatchObject(removal);
    const imported = await run("import", "remove.json", "--lake", "lake", "--json");
    expect(JSON.parse(imported.out)).toMatchObject(removal);
    expect((await endpoints()).map(({ id }) => id)).not.toContain(ranking);
    const { out } = await run("list", "--lake", "lake", "--json");
    expect((JSON.parse(out) as { endpoints: unknown[] }).endpoints).toHaveLength(CATALOGUE.length + 4);
  });

  test("keep their local operation when the remote's document has them", async () => {
    const document = openApiDocument((await endpoints()).filter(({ group }) => group === "corner-shop"));
    await put("openapi.json", JSON.parse(JSON.stringify(document).replaceAll(/"x-[^"]+":/g, '"y":')));
    const { code, out } = await run("import", "openapi.json", "--lake", "lake", "--json");
    expect(code).toBe(0);
    expect((JSON.parse(out) as { notes: string[] }).notes.join()).not.toContain("corner-shop");
    const rows = await endpoints();
    expect(rows).toHaveLength(CATALOGUE.length + 5);
    expect(rows.find(({ id }) => id === products)).toMatchObject({ operation: "records", label: "observed" });
  });
});

test("a lake's catalogue file outside of the lake is refused", async () => {
  for (const catalogue of ["../rows.json", "/etc/hosts"]) {
    await expect(lakeCatalogue(join(cwd, "lake"), { formatVersion: 1, catalogue })).rejects.toMatchObject({
      code: "catalogue_outside_lake",
    });
  }
});

test("imports at once lose no rows: one is told that another is under way", async () => {
  const ids = ["raw.grocery-market.price-path", "raw.video-community.price-path", "raw.microblog.price-path"];
  for (const [i, id] of ids.entries())
    await put(`rows-${i}.json`, { catalogue: 1, endpoints: [{ ...ownRow, id }] });
  const given = (i: number) => run("import", `rows-${i}.json`, "--lake", "lake", "--json");
  const answers = await Promise.all(ids.map((_, i) => given(i)));
  const refused = answers.filter(({ code }) => code !== 0).map(({ out }) => JSON.parse(out));
  for (const answer of refused) expect(answer).toMatchObject({ error: { code: "lake_busy" } });
  const there = (await lakeRows()).map(({ id }) => id);
  const done = ids.filter((_, i) => answers[i]!.code === 0);
  expect(done).not.toEqual([]);
  expect(there).toEqual(expect.arrayContaining(done));
  for (const i of ids.keys()) if (answers[i]!.code !== 0) expect((await given(i)).code).toBe(0);
  expect((await lakeRows()).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
});

test.skipIf(!CAN_FAULT)("an import that is killed leaves nothing that the next does not remove", async () => {
  await put("rows.json", { catalogue: 1, endpoints: [ownRow] });
  const folder = await realpath(cwd);
  const lake = join(folder, "lake");
  const args = ["catalogue", "import", join(folder, "rows.json"), "--lake", lake];
  const names = async (dir: string) => (await readdir(dir, { recursive: true })).sort();
  const place = join(folder, "place");
  // A lake that something was installed into has its lock files.
  await (await takeInstallLock(lake)).release();
  let left = 0;
  const whole = await stepThrough(
    join(import.meta.dirname, "../../dist/cli/main.js"),
    args,
    lake,
    async () => {
      await rm(place, { recursive: true, force: true });
      await cp(lake, place, { recursive: true });
      const known = ["catalogue.json", "locks", "mirrorlake.json"];
      const others = (await readdir(place)).filter((name) => !known.includes(name)).sort();
      const unused = await findUnused(place, undefined, new Set());
      expect(unused.map(({ path }) => basename(path)).sort()).toEqual(others);
      left += others.length;
      const again = await capture(["catalogue", "import", "rows.json", "--lake", "place"], { cwd: folder });
      expect([again.code, again.err]).toEqual([0, ""]);
      expect(await names(place)).toEqual(["catalogue.json", "locks", "locks/install", "mirrorlake.json"]);
    },
  );
  expect([whole.code, whole.err]).toEqual([0, ""]);
  expect(await names(lake)).toEqual(await names(place));
  expect(left).toBeGreaterThan(0);
  expect((await lakeRows()).map(({ id }) => id)).toContain(ownRow.id);
});
