import fc from "fast-check";
import { expect } from "vitest";
import type { Account, Hold } from "../../src/account/account.js";
import { micros } from "../../src/contract/money.js";
import { VirtualClock } from "../../src/virtual-clock.js";
import { ReferenceAccount, type ReferenceHold } from "./reference-account.js";

/** The endpoints that are called. */
export const ENDPOINTS = [
  { id: "search", price: micros(4000n), freeEligible: true },
  { id: "raw.short-video.video", price: micros(1500n), freeEligible: true },
  { id: "raw.short-video.comments", price: micros(1500n), freeEligible: false },
  { id: "datasets.slices", price: micros(0n), freeEligible: true },
] as const;
const PRINCIPAL = { keyId: "key_model", accountId: "acct_local", scopes: ["*"] };

/** Just before midnight in Singapore, at the end of a month, a leap February, or a year. */
export const STARTS = [
  "2026-05-31T23:58:00+08:00",
  "2026-12-31T23:59:30+08:00",
  "2028-02-29T23:50:00+08:00",
  "2026-06-30T12:00:00-07:00",
];

const endpoint = fc.constantFrom(...ENDPOINTS);
/** Free calls to use up in one go, so that many runs stand near the quota's end. */
const nearQuota = fc.constantFrom(0, 900, 995, 999, 1000);
const outcome = fc.constantFrom("charge", "charge", "charge", "empty", "error");
const DAY = 86_400_000;
/** What may happen to an account. */
export const step = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("useQuota" as const), times: nearQuota }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 90_000 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 40 * DAY }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("calls" as const),
      endpoint,
      outcome,
      times: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 700 })),
      gapMs: fc.constantFrom(0, 90, 100, 999, 1000, 1001),
      /** Request ids are drawn from so few that some repeat; -1 for ids never used before. */
      ids: fc.constantFrom(-1, -1, -1, 3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("hold" as const),
      endpoint,
      times: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 300 })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      outcome,
      times: fc.integer({ min: 1, max: 200 }),
      last: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("topUp" as const), amount: fc.integer({ min: 1, max: 9_999 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
);
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Open {
  readonly real: Hold;
  readonly model: ReferenceHold;
  readonly endpoint: string;
}

/** Does the same to an account and to the reference, and compares them after each step. */
export async function drive(
  open: (clock: VirtualClock) => Promise<Account>,
  start: string,
  funds: bigint,
  steps: readonly Step[],
) {
  const clock = new VirtualClock(start);
  const model = new ReferenceAccount();
  model.balance = funds;
  let account = await open(clock);
  let holds: Open[] = [];
  let serial = 0;

  type Endpoint = (typeof ENDPOINTS)[number];
  interface InLine {
    readonly endpoint: Endpoint;
    readonly real: Promise<Hold | undefined>;
    settled: boolean;
  }
  let line: InLine[] = [];

  /** Holds for a call, or puts it in the line; "refused" when it cannot be paid for. */
  const hold = async (to: Endpoint): Promise<Open | "refused" | "waits"> => {
    const real = account.hold(PRINCIPAL, to);
    const queued = to.price > 0n && line.length > 0;
    const expected = queued ? "waits" : model.hold(clock.now(), to.price, to.freeEligible);
    if (expected === "waits") {
      const waiting = { endpoint: to, real, settled: false };
      const settled = () => {
        waiting.settled = true;
      };
      real.then(settled, settled);
      line.push(waiting);
      return "waits";
    }
    return matched(await real, expected, to);
  };
  const matched = (
    real: Hold | undefined,
    expected: ReferenceHold | "refused",
    to: Endpoint,
  ): Open | "refused" => {
    expect(real === undefined).toBe(expected === "refused");
    return real === undefined || expected === "refused"
      ? "refused"
      : { real, model: expected, endpoint: to.id };
  };
  /** Those in the line who have their answer now, in order; the others must not have one. */
  const advance = async (): Promise<void> => {
    for (let first = line[0]; first !== undefined; first = line[0]) {
      const expected = model.hold(clock.now(), first.endpoint.price, first.endpoint.freeEligible);
      if (expected === "waits") break;
      line.shift();
      const open = matched(await first.real, expected, first.endpoint);
      if (open !== "refused") holds.push(open);
    }
    await Promise.resolve();
    expect(line.some((waiting) => waiting.settled)).toBe(false);
  };
  const settle = async (held: Open, how: string, request: string): Promise<void> => {
    if (how === "charge") {
      const expected = model.charge(held.model, `${held.endpoint} ${request}`);
      expect(await held.real.charge(request)).toEqual({
        billed: expected.charged > 0n,
        charged: expected.charged,
        usedFreeQuota: expected.free,
        freeQuotaRemaining: model.freeLeft(model.monthOf(clock.now())),
        balance: model.balance,
      });
    } else {
      model.release(held.model);
      await held.real.release(request, how === "empty" ? "empty" : "internal_error");
    }
    await advance();
  };

  for (const each of steps) {
    if (each.do === "wait") {
      clock.advance(each.ms);
      await advance();
    }
    if (each.do === "useQuota") {
      for (let i = 0; i < each.times && model.freeLeft(model.monthOf(clock.now())) > 5; i++) {
        const held = await hold(ENDPOINTS[1]);
        if (typeof held !== "string") await settle(held, "charge", `quota-${serial++}`);
      }
    }
    if (each.do === "topUp") {
      await account.topUp(micros(BigInt(each.amount)));
      model.balance += BigInt(each.amount);
      model.toppedUp = true;
      await advance();
    }
    if (each.do === "restart") {
      await account.close();
      for (const { real } of line) await expect(real).rejects.toMatchObject({ code: "account_closed" });
      account = await open(clock);
      holds = [];
      line = [];
      model.restart();
    }
    if (each.do === "hold") {
      for (let i = 0; i < each.times; i++) {
        const held = await hold(each.endpoint);
        if (typeof held !== "string") holds.push(held);
      }
    }
    if (each.do === "settle") {
      for (let i = 0; i < each.times; i++) {
        const held = each.last ? holds.pop() : holds.shift();
        if (held === undefined) continue;
        await settle(held, each.outcome, `settled-${serial++}`);
      }
    }
    if (each.do === "calls") {
      for (let i = 0; i < each.times; i++) {
        clock.advance(each.gapMs);
        // A new month has free calls for those in the line; they are asked again from time to time.
        if (line.length > 0) await advance();
        const rate = await account.takeRate(PRINCIPAL);
        const allowed = model.take(clock.now());
        expect(rate).toMatchObject({
          allowed,
          limit: model.limit,
          remaining: Math.max(0, model.limit - model.inMinute(clock.now())),
        });
        const request = each.ids < 0 ? `r${serial++}` : `again-${i % each.ids}`;
        if (!allowed) {
          await account.refuse(PRINCIPAL, { requestId: request, code: "rate_limited" });
          expect(rate.retryAfterS).toBeGreaterThan(0);
          expect(rate.retryAfterS).toBeLessThanOrEqual(60);
          continue;
        }
        const held = await hold(each.endpoint);
        if (held === "waits") continue;
        if (held === "refused") {
          await account.refuse(PRINCIPAL, { requestId: request, code: "insufficient_credits" });
        } else await settle(held, each.outcome, request);
      }
    }
    expect(await account.state()).toEqual({
      balance: model.balance,
      freeQuotaRemaining: model.freeLeft(model.monthOf(clock.now())),
      toppedUp: model.toppedUp,
    });
  }

  let sum = 0n;
  let seq = 0;
  for await (const entry of account.entries()) {
    sum += BigInt(entry.amount);
    expect(entry.seq).toBe(++seq);
    expect(entry.balance).toBe(sum.toString());
  }
  // An account that nothing was called on has no entry, not even the opening one.
  expect(seq === 0 ? funds : sum).toBe(model.balance);
  await account.close();
  for (const { real } of line) await expect(real).rejects.toMatchObject({ code: "account_closed" });
}

/** Arbitraries of a start, of funds and of steps. */
export const sequences = (steps: fc.Arbitrary<Step>, maxLength: number) =>
  [
    fc.constantFrom(...STARTS),
    fc.constantFrom(100_000_000n, 2_000_000n, 7_000n),
    fc.array(steps, { maxLength }),
  ] as const;
