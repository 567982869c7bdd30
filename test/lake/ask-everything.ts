import { join } from "node:path";
import { expect } from "vitest";
import { diagnoseLake } from "../../src/client/diagnose-lake.js";
import { openLake } from "../../src/client/open-lake.js";
import { describeDataset } from "../../src/dataset/describe-dataset.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { EXPORT_FORMATS } from "../../src/lake/query/export-formats.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import { SQL_VIEWS } from "../../src/sql/views.js";
import { diffSlices } from "../../src/transfer/diff-slices.js";
import { publishSlices } from "../../src/transfer/publish/publish-slices.js";
import { COMPACT, EMBEDDER, QUICK } from "../evolution/support.js";

const DAY = 86_400_000;

/** Checks that a lake answers a search, a page of comments and a query. */
export async function lakeAnswers(lake: string): Promise<void> {
  const open = await openLake(lake, { account: "memory", embedder: EMBEDDER, limits: "off", readOnly: true });
  try {
    const { data } = await open.search({ query: "camera phone", freshness: "90d" });
    expect(data.length).toBeGreaterThan(0);
    for (const record of data)
      expect(JSON.parse(JSON.stringify(record))).toMatchObject({ id: expect.any(String) });
    const comments = await open.call("raw.short-video.comments", { item_id: "100000000000100" });
    expect(JSON.stringify(comments.data)).toContain("7001000");
    for (const { name } of SQL_VIEWS) await open.sql(`SELECT * FROM ${name} LIMIT 50`);
  } finally {
    await open.close();
  }
}

/** Does everything that one does with a lake after a slice was installed into it: nothing may fail. */
export async function askEverything(lake: string, dir: string, slice: string): Promise<void> {
  await lakeAnswers(lake);
  const open = await openLake(lake, { account: "memory", embedder: EMBEDDER, limits: "off" });
  const ids: string[] = [];
  try {
    const { corpus } = open.lake;
    const rows = [...corpus.live.rows()];
    for (const record of await corpus.records(rows)) {
      ids.push(record.id);
      expect(await corpus.recordRow(record.id)).toBeDefined();
      JSON.stringify(record);
    }
    for (const { slug } of corpus.platforms()) {
      for (const orderBy of ["source", "score", "created", "captured", "offset", "id"] as const) {
        const page = await corpus.rawPage({ platform: slug, orderBy, offset: 0, limit: 500 });
        for (const { platform, resource, id, parent } of page.items) {
          expect(await corpus.raw(platform, resource, id)).toBeDefined();
          if (parent !== undefined) {
            const under = { platform, resource, parent, orderBy, offset: 0, limit: 5 };
            expect((await corpus.rawPage(under)).total).toBeGreaterThan(0);
            await open.call("raw.short-video.comments", { item_id: parent }).catch(onlyInvalid);
          }
        }
        JSON.stringify(page.items);
      }
      await corpus.rawBuckets({ platform: slug }, "day");
    }
    for (const mode of ["keyword", "semantic", "hybrid"] as const)
      await open.lake.index.rank("camera noticias 手机", corpus.match({ toMs: Date.now() + DAY }), {
        limit: 50,
        mode,
      });
    await open.search({ query: "rain", freshness: "90d", format: "records" });
    JSON.stringify((await open.call("datasets.slices", {})).data);
    for (const format of EXPORT_FORMATS)
      await open.export(join(dir, `all.${format}`), { format, vectors: true });
  } finally {
    await open.close();
  }
  await removeRecords([{ kind: "record", id: ids[0]! }], { lake, reason: "test" });
  await compactLake({ lake, ...COMPACT });
  await installSlices([join(lake, "slices")], { lake, ...QUICK, rebuild: true });
  const { problems } = await verifyLake(lake, { recall: false, threads: 0 });
  expect(problems.filter(({ code }) => code !== "provenance_mismatch")).toEqual([]);
  expect((await diagnoseLake(lake)).findings.filter(({ level }) => level === "error")).toEqual([]);
  for await (const batch of diffSlices(slice, lake)) JSON.stringify(batch);
  await describeDataset([lake], { out: join(dir, "card") });
  await publishSlices([lake], { out: join(dir, "published") });
  await lakeAnswers(lake);
}

function onlyInvalid(error: { readonly code?: string }): void {
  expect(error.code).toBe("invalid_params");
}
