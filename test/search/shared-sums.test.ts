import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { planeBytesOf } from "../../src/search/vector/codes/column-codes.js";
import { CLAIM_BYTES, type ScanPlaces, SharedSums } from "../../src/search/vector/codes/shared-sums.js";
import { Kernels } from "../../src/search/vector/kernels.js";

/** Worker threads run built code. */
const MODULE = new URL("../../build/search/vector/codes/shared-sums.js", import.meta.url).href;
const DIMS = 24;

/** A scan of random codes, in memory that is shared. */
async function scanOf(parts: number, units: number, seed: number) {
  const rows = parts * 64;
  const tables = DIMS * 2 * 4;
  const claims = tables + DIMS * 16;
  const sums = claims + CLAIM_BYTES;
  const planes = sums + rows * 2;
  const planeBytes = planeBytesOf(rows);
  const kernels = await Kernels.share(planes + DIMS * 2 * planeBytes);
  let state = seed;
  for (let i = planes; i < kernels.bytes.length; i += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    kernels.bytes[i] = state >>> 24;
  }
  const summed = Array.from({ length: units * 2 }, (_, i) => (i * 7 + seed) % (DIMS * 2));
  kernels.integers(0, units * 2).set(summed.map((plane) => plane * planeBytes));
  kernels.bytes.set(
    Array.from({ length: units }, (_, i) =>
      Array.from({ length: 16 }, (_, code) => (i * 5 + code * 3) % 63),
    ).flat(),
    tables,
  );
  const places: ScanPlaces = { claims, tables, planes, sums, rows };
  const result = () => Buffer.from(kernels.sums(sums, rows).slice().buffer);
  /** What one thread sums. */
  const alone = () => {
    kernels.sumColumns({ planes, bytes: rows / 4 }, { offsets: 0, units, tables }, sums);
    return result();
  };
  const together = (call: (sum: SharedSums) => void = () => undefined) => {
    kernels.sums(sums, rows).fill(0xabc);
    const shared = new SharedSums(kernels, places);
    shared.sum(units, () => call(shared));
    return result();
  };
  return { kernels, places, alone, together };
}

const scans = [
  fc.integer({ min: 1, max: 2_048 }),
  fc.integer({ min: 1, max: 6 }).map((fours) => fours * 4),
  fc.integer({ min: 1, max: 1_000_000 }),
] as const;

describe("sums that threads share", () => {
  const workers: Worker[] = [];
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.terminate();
  });

  it("are those of one thread, whichever takes a tile", async () => {
    await fc.assert(
      fc.asyncProperty(...scans, async (parts, units, seed) => {
        const { alone, together } = await scanOf(parts, units, seed);
        const expected = alone();
        expect(together().equals(expected)).toBe(true);
        expect(together((sums) => sums.help()).equals(expected)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it("are the same with another thread that helps at any time, also when there is nothing to do", async () => {
    const { kernels, places, alone, together } = await scanOf(8, 12, 5);
    const expected = alone();
    const worker = new Worker(
      `const { parentPort, workerData } = require("node:worker_threads");
       import(${JSON.stringify(MODULE)}).then(async ({ SharedSums }) => {
         const sums = await SharedSums.join(workerData.memory, workerData.places);
         const turn = () => { sums.help(); setImmediate(turn); };
         turn();
         parentPort.postMessage("ready");
       });`,
      { eval: true, workerData: { memory: kernels.memory, places } },
    );
    workers.push(worker);
    await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    for (let round = 0; round < 300; round += 1) expect(together().equals(expected)).toBe(true);
  });
});
