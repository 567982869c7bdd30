import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MirrorlakeError } from "../../src/contract/errors.js";
import { PULL_DEFAULTS } from "../../src/transfer/pull/defaults.js";
import { runs } from "../support/campaign.js";
import { type FakeSet, fakeSet, fetchAll, isWhole, testEnvironment } from "./fake-set.js";
import { type Fault, FaultServer, type Seen } from "./fault-server.js";

const SIZES = [
  [600_000, 1, 90_000],
  [250_000, 64_000],
];

let set: FakeSet;
beforeAll(async () => {
  set = await fakeSet(SIZES, 7);
});
afterAll(() => set?.remove());

const after = fc.integer({ min: 0, max: 700_000 });

/** Faults that cost nothing but time: the next answer goes on from where this one broke. */
const passing: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constant("drop" as const), after }),
  fc.record({ kind: fc.constant("reset" as const), after }),
  fc.record({ kind: fc.constant("truncate" as const), after }),
  fc.constant<Fault>({ kind: "refuse" }),
  fc.record({
    kind: fc.constant("status" as const),
    status: fc.constantFrom(429, 500, 502, 503, 504),
    retryAfter: fc.constantFrom("0", "1", "20"),
  }),
  fc.record({ kind: fc.constant("status" as const), status: fc.constantFrom(408, 429, 500, 503) }),
);

const stalling: fc.Arbitrary<Fault> = fc.record({ kind: fc.constant("stall" as const), after });

/** Faults that make what came worthless. */
const lying: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constant("corrupt" as const), at: after }),
  fc.record({ kind: fc.constant("length" as const), by: fc.constantFrom(-7000, -1, 1, 7000) }),
  fc.constantFrom<Fault>(
    { kind: "more" },
    { kind: "other-version" },
    { kind: "other-part" },
    { kind: "shifted-part" },
    { kind: "whole" },
    { kind: "unsatisfiable" },
  ),
);

/** A stall takes this long; on a busy machine a pause of the process may pass for one. */
const STALL_MS = 150;

const FILES = ["records.parquet", "raw.parquet", "vectors.arrow", "datapackage.json", "index.json"];

/** Runs a pull against a plan of faults in a folder of its own. */
async function pulling(
  plan: readonly (readonly [string, readonly Fault[]])[],
  check: (pull: () => Promise<void>, dir: string, server: FaultServer) => Promise<void>,
  options: { readonly seed: number; readonly retries?: number; readonly stallMs?: number },
): Promise<void> {
  const server = await FaultServer.start(set.out);
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-sequences-"));
  for (const [file, faults] of plan) server.plan(file, faults);
  const environment = testEnvironment(options.seed);
  try {
    await check(
      async () => {
        await fetchAll(server.url, dir, { stallMs: STALL_MS, ...options, environment });
      },
      dir,
      server,
    );
  } finally {
    await server.close();
    await rm(dir, { recursive: true, force: true });
  }
}

const planOf = (fault: fc.Arbitrary<Fault>, maxLength: number) =>
  fc.uniqueArray(fc.tuple(fc.constantFrom(...FILES), fc.array(fault, { maxLength })), {
    selector: ([file]) => file,
  });

test("whatever breaks and heals again, the pull ends complete, and sends little twice", {
  tags: "slow",
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      planOf(fc.oneof({ weight: 12, arbitrary: passing }, stalling), 6),
      fc.nat(),
      async (plan, seed) => {
        const stalls = plan.some(([, faults]) => faults.some(({ kind }) => kind === "stall"));
        await pulling(
          plan,
          async (pull, dir, server) => {
            await pull();
            expect(await isWhole(set, dir)).toBe(true);
            for (const [i, file] of ["records.parquet", "raw.parquet", "vectors.arrow"].entries()) {
              const answers = server.seen.filter(({ path }) => path.endsWith(file));
              if (answers.some(({ fault, left }) => fault === "reset" || (stalls && left))) continue;
              if (stalls && answers.some((answer, i) => isGivenUp(answer, answers.slice(i + 1)))) continue;
              const size = SIZES.reduce((sum, sizes) => sum + (sizes[i] ?? 0), 0);
              const breaks = answers.filter(({ fault, sent }) => fault !== undefined && sent > 0).length;
              expect(server.sent(file)).toBeLessThanOrEqual(size + breaks * PULL_DEFAULTS.resumeBytes);
            }
          },
          { seed, retries: 20, stallMs: stalls ? STALL_MS : 30_000 },
        );
      },
    ),
    runs(20),
  );
});

/** Whether an answer without a fault was asked for again: a pause passed for a stall after it was sent. */
function isGivenUp({ path, fault }: Seen, later: readonly Seen[]): boolean {
  return fault === undefined && later.some((answer) => answer.path === path);
}

test("whatever the source says, the pull ends complete and verified, or fails with an error that has a code", {
  tags: "slow",
}, async () => {
  let failed = 0;
  await fc.assert(
    fc.asyncProperty(planOf(fc.oneof(lying, passing), 7), fc.nat(), async (plan, seed) => {
      await pulling(
        plan,
        async (pull, dir) => {
          try {
            await pull();
          } catch (error) {
            failed++;
            expect(error).toBeInstanceOf(MirrorlakeError);
            expect((error as MirrorlakeError).remedy).not.toBe("");
            await neverWrong(dir);
            // The server has no fault left for long: a client that comes again gets it all.
            for (let runs = 0; runs < 12 && !(await isWholeOrNot(dir)); runs++) await pull().catch(() => {});
          }
          expect(await isWhole(set, dir)).toBe(true);
        },
        { seed },
      );
    }),
    runs(25),
  );
  expect(failed).toBeGreaterThan(0);
});

/** No file has its name before it is whole and right. */
async function neverWrong(dir: string): Promise<void> {
  for (const { mirrorlake, resources } of set.manifests) {
    const names = await readdir(join(dir, mirrorlake.root)).catch(() => [] as string[]);
    const there = { mirrorlake, resources: resources.filter(({ path }) => names.includes(path)) };
    expect(await isWhole({ ...set, manifests: [there as (typeof set.manifests)[number]] }, dir)).toBe(true);
  }
}

async function isWholeOrNot(dir: string): Promise<boolean> {
  return isWhole(set, dir).catch(() => false);
}
