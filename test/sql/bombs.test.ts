import { readFileSync } from "node:fs";
import { type LakeClient, openLake } from "mirrorlake";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CAMPAIGN } from "../support/campaign.js";
import { count } from "../support/count.js";
import type { TemporaryLake } from "../support/sample-lake.js";
import { type Bomb, FOUND, MORE } from "./bombs.js";
import { temporaryRichLake } from "./rich-lake.js";

let built: TemporaryLake;
let lake: LakeClient;
beforeAll(async () => {
  built = await temporaryRichLake();
  lake = await openLake(built.path, { account: "memory" });
  await lake.sql("SELECT 1");
});
/** What the bombs took: [ms, bytes] of each. */
const taken: [ms: number, bytes: number][] = [];
afterAll(async () => {
  if (CAMPAIGN) {
    const [ms, bytes] = [0, 1].map((at) => Math.max(...taken.map((each) => each[at]!)));
    console.log(
      `${taken.length} bombs: ${Math.round(ms!)} ms at most, ${Math.round(bytes! / 1e6)} MB at most`,
    );
  }
  await lake?.close();
  await built?.remove();
});

/** A campaign asks with the limits of the issue; a short run with a fraction of their time. */
const LIMITS = CAMPAIGN
  ? { timeoutMs: 3000, memoryLimit: "256MB", bytes: 256e6 }
  : { timeoutMs: 250, memoryLimit: "64MB", bytes: 64e6 };
/** What a process may take beyond its limit. */
const BEYOND = { ms: 1000, bytes: 200e6 };
const HELD_UP_MS = 60;
const PAGE = 4096;

/**
 * Looks until it is stopped at the most memory that a child of this process has, and at the longest time that this process did
 * not get a turn: on a busy machine a clock that rings is heard that much later.
 */
function watchChildren(): { stop(): { most: number; late: number } } {
  let [most, late, last] = [0, 0, performance.now()];
  const look = () => {
    late = Math.max(late, performance.now() - last);
    last = performance.now();
    for (const pid of readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").split(" ")) {
      try {
        most = Math.max(most, Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE);
      } catch (error) {
        if (!["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
      }
    }
  };
  const timer = setInterval(look, 5);
  return {
    stop: () => {
      look();
      clearInterval(timer);
      return { most, late };
    },
  };
}

async function explode({ sql }: Bomb): Promise<void> {
  const children = watchChildren();
  const { bytes, ...limits } = LIMITS;
  const began = performance.now();
  const code = await lake.sql(sql, [], limits).then(
    () => "answered",
    (error: { code?: unknown }) => error.code,
  );
  const ms = performance.now() - began;
  const { most, late } = children.stop();
  count("bombs");
  taken.push([ms, most]);
  expect(["answered", "sql_timeout", "sql_memory", "sql_refused", "sql_syntax"]).toContain(code);
  if (!CAMPAIGN) return; // other tests run beside this one: neither time nor memory is measured
  expect(ms).toBeLessThan(limits.timeoutMs + BEYOND.ms + late);
  // A watcher that gets no turn cannot look at another's memory: measured only where this process was not held up.
  if (late < HELD_UP_MS) expect(most).toBeLessThan(bytes + BEYOND.bytes);
  expect(await lake.sql("SELECT 1 AS one")).toEqual([{ one: 1 }]);
}

describe("a query that would take all time or memory ends within its limits", () => {
  test.each(FOUND)("$name", explode);
  test.each(CAMPAIGN ? MORE : MORE.filter((_, i) => i % 9 === 0))("$name", explode);
});
