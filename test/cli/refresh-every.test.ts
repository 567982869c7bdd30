import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Operations } from "../../src/cli/operations.js";
import { refreshEvery } from "../../src/cli/refresh-every.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { QUICK, videos, write } from "../evolution/support.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-refresh-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const install = async (name: string, from: number) =>
  installSlices(await write(join(dir, name), videos(from, from + 8)), { lake: join(dir, "lake"), ...QUICK });

test("a generation that was installed meanwhile is warmed up, where the first one was", async () => {
  await install("first", 0);
  const lake = await openLake(join(dir, "lake"), { account: "memory" });
  let stop = () => {};
  const failed = vi.fn();
  const { signal } = new AbortController();
  const warm = new Promise<{ generation: number; searches: number }>((resolve) => {
    const warmed: Operations["warmed"] = ({ searches }) =>
      resolve({ generation: lake.lake.generation, searches });
    const operations = { warmed, failed } as unknown as Operations;
    stop = refreshEvery({ refresh: 1, warmUp: true }, lake, operations, signal);
  });
  const { generation } = await install("second", 8);
  expect(await warm).toEqual({ generation, searches: 500 });
  stop();
  expect(failed).not.toHaveBeenCalled();
  await lake.close();
});

test("a warm-up that fails is no refresh that failed", async () => {
  const error = new Error("no answer");
  const [failed, refresh, warmUp] = [vi.fn(), vi.fn(async () => {}), vi.fn().mockRejectedValue(error)];
  const generations = [1, 2];
  const lake = {
    lake: {
      get generation() {
        return generations.shift() ?? 2;
      },
    },
    refresh,
    warmUp,
  } as unknown as LakeClient;
  const operations = { warmed: vi.fn(), failed } as unknown as Operations;
  const stop = refreshEvery({ refresh: 1, warmUp: true }, lake, operations, new AbortController().signal);
  await vi.waitFor(() => expect(failed).toHaveBeenCalledWith(error, "warm_up_failed"), { timeout: 60_000 });
  stop();
  expect(failed).toHaveBeenCalledOnce();
  expect(operations.warmed).not.toHaveBeenCalled();
});
