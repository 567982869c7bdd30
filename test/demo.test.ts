import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { counted } from "../src/contract/quantity.js";
import { capture } from "./cli/capture.js";
import { copyLake } from "./documents/workspace.js";
import { snapshot } from "./lake/reseal.js";
import { CAMPAIGN } from "./support/campaign.js";
import { type Demo, demo, mirrorlake } from "./support/demo-lake.js";
import { temporarySampleLake } from "./support/sample-lake.js";

const CLI = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

let folder: string;
let first: Demo;
/** A copy of the lake that the demo built. */
let lake: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-demo-"));
  first = await demo();
  lake = join(folder, "lake");
  await copyLake(first.lake, lake);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("demo", () => {
  test("leaves nothing when it is stopped", { tags: "slow" }, async () => {
    const child = spawn(process.execPath, [CLI, "demo", "--lake", "stopped/lake"], {
      cwd: folder,
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    while (!existsSync(join(folder, "stopped")) && child.exitCode === null) await sleep(5);
    child.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
    expect(await readdir(folder)).not.toContain("stopped");
  });

  test("goes the whole way, and the lake that it leaves answers", async () => {
    const { out } = first;
    expect(out).toContain("nine datasets");
    for (const domain of ["social", "ecommerce", "web"]) expect(out).toContain(`--domain ${domain}`);
    expect(out).toMatch(/soc_\w{3}_/);
    expect(out).toMatch(/eco_glm_prod_\d+/);
    expect(out).toMatch(/web_gnw_/);
    expect(out).toContain("soc_shv_7400000000000000123");
    expect(out).toContain("8 of 63 items, next: --cursor 8");
    expect(out).toContain("8 of 63 items, next: --cursor 16");
    expect(out).toContain("covered by the free quota · 999 free calls left this month · balance $100.00");
    expect(out).toContain("charged $0.0015");
    expect(out).toMatch(/\d+ of \d+ slices/);
    // What it ends with opens the web console.
    expect(out.trimEnd().split("\n").at(-1)).toMatch(/^ {2}npx mirrorlake serve --lake \S+$/);
    expect(await readdir(join(first.folder, ".mirrorlake"))).toEqual(["demo"]);

    const search = ["search", "hiking boots", "--freshness", "7d", "--lake", lake, "--json"];
    const answer = JSON.parse((await mirrorlake(search, { cwd: folder })).out) as {
      data: { vec: number[]; prov: { hash: string } }[];
      meta: { empty: boolean };
    };
    expect(answer.meta.empty).toBe(false);
    expect(answer.data[0]?.vec).toHaveLength(1536);
    expect(answer.data[0]?.prov.hash).toMatch(/^0x[0-9a-f]{64}$/);
  });

  test("may be run again: the same lake, nothing installed twice", { tags: "slow" }, async () => {
    const files = async () =>
      Object.entries(await snapshot(lake)).filter(([name]) => !name.startsWith("account/"));
    const before = await files();
    const { out } = await mirrorlake(["demo", "--lake", lake], { cwd: folder });
    expect(out).toMatch(/eco_glm_prod_\d+/);
    expect(out).toContain(/[\d.,]+k? records?, .* slices/.exec(first.out)![0]);
    expect(await files()).toEqual(before);
  });

  test("may be run again after it was killed, and removes what it left", { tags: "slow" }, async () => {
    const killed = join(folder, "killed");
    await copyLake(first.lake, killed);
    const left = ["killed-slices-0123456789abcdef", "killed/slices/.tmp-0123456789abcdef"];
    for (const name of left) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, `${name}.lock`), "");
    }
    const { out } = await mirrorlake(["demo", "--lake", killed, "--json"], { cwd: folder });
    expect(JSON.parse(out)).toMatchObject({ generation: 1 });
    expect((await readdir(folder)).filter((name) => name.startsWith("killed"))).toEqual(["killed"]);
    expect((await readdir(join(killed, "slices"))).filter((name) => name.startsWith("."))).toEqual([]);
  });

  test("all comments of a video come once, over pages, and the calls add up", async () => {
    const args = ["raw", "short-video", "comments", "--item-id", "7400000000000000123", "--count", "20"];
    const { out } = await mirrorlake([...args, "--all", "--json", "--lake", lake], { cwd: folder });
    const { data, meta } = JSON.parse(out) as {
      data: { items: { cid: string }[]; total: number; has_more: boolean };
      meta: { charged_usd: string };
    };
    expect(new Set(data.items.map(({ cid }) => cid)).size).toBe(63);
    expect(data).toMatchObject({ total: 63, has_more: false });
    expect(meta.charged_usd).toBe("0.006000");
  });

  if (CAMPAIGN)
    test("may be run again with --json", async () => {
      const { out } = await mirrorlake(["demo", "--lake", lake, "--json"], { cwd: folder });
      const report = JSON.parse(out) as Record<string, number>;
      expect(report.generation).toBe(1);
      expect(report.records).toBeGreaterThanOrEqual(500);
      const counts = [
        counted(report.records!, "record"),
        counted(report.raw!, "raw item"),
        counted(report.slices!, "slice"),
      ];
      expect(first.out).toContain(counts.join(", "));
    });

  test("adds nothing to a lake of other slices", { tags: "slow" }, async () => {
    const own = await temporarySampleLake();
    const slices = join(own.path, "slices");
    const before = await readdir(slices);
    const { code, err, out } = await capture(["demo", "--lake", own.path]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("Error lake_exists: ");
    expect(await readdir(slices)).toEqual(before);
    await own.remove();
  });

  test("says so, once and with a remedy, where there is no lake", async () => {
    const failed = await mirrorlake(["search", "x", "--lake", "nowhere", "--json"], { cwd: folder }).catch(
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    expect(failed).toMatchObject({ code: 1, stderr: "" });
    expect(JSON.parse((failed as { stdout: string }).stdout).error).toMatchObject({ code: "lake_not_found" });
  });
});
