import fc from "fast-check";
import { expect, test } from "vitest";
import type { TransportResponse } from "../../src/client/answer.js";
import { Budget } from "../../src/client/budget.js";
import type { Target, Transport } from "../../src/client/client.js";
import { type Bounds, governTransport } from "../../src/client/governed-transport.js";
import { systemRetryPolicy } from "../../src/client/retry.js";
import { formatUsd, parseUsd } from "../../src/contract/money.js";
import { runs } from "../support/campaign.js";

const target: Target = { id: "a", method: "GET", path: "/v1/a", price: parseUsd("0.001000") };

function bounds(more: Partial<Bounds> = {}): Bounds & { readonly budget: Budget } {
  return {
    budget: new Budget("0.001000"),
    retry: { ...systemRetryPolicy, retries: 0 },
    timeoutMs: undefined,
    name: "here",
    costsNothing: () => true,
    ...more,
  };
}

const deaf: Transport = { send: () => new Promise<TransportResponse>(() => {}) };

test("a call ends in time, though its transport does not heed the signal; its price stays reserved", async () => {
  const within = bounds({ timeoutMs: 5 });
  const governed = governTransport(deaf, within);
  await expect(governed.send(target, {}, {})).rejects.toMatchObject({
    name: "ConnectionError",
    code: "timeout",
    value: "here",
  });
  await expect(governed.send(target, {}, {})).rejects.toMatchObject({ code: "budget_exceeded" });
});

test.each([
  [true, "0.000000"],
  [false, "0.001000"],
])("a failed call that costs nothing: %s, spends %s", async (free, spent) => {
  const within = bounds({ costsNothing: () => free });
  const failing: Transport = { send: () => Promise.reject(new Error("broken")) };
  await expect(governTransport(failing, within).send(target, {}, {})).rejects.toThrow("broken");
  expect(formatUsd(within.budget.spent)).toBe(spent);
});

test("the caller's own reason is the error, before the time is over and after", async () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  const heeding: Transport = {
    send: (_target, _params, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
        controller.abort(reason);
      }),
  };
  const governed = governTransport(heeding, bounds({ timeoutMs: 60_000 }));
  await expect(governed.send(target, {}, { signal: controller.signal })).rejects.toBe(reason);
  await expect(governed.send(target, {}, { signal: controller.signal })).rejects.toBe(reason);
});

/** What an answer that states this charge counts, and what is said of it. */
async function counted(charged_usd: unknown): Promise<{ spent: string; notices: string[] }> {
  const notices: string[] = [];
  const within = bounds({ onNotice: (notice) => notices.push(notice) });
  const body = { request_id: "r", data: 1, meta: { charged_usd } };
  const answering: Transport = { send: async () => ({ status: 200, headers: {}, body }) };
  const response = await governTransport(answering, within).send(target, {}, {});
  expect(response.body).toBe(body);
  return { spent: formatUsd(within.budget.spent), notices };
}

test.each([
  ["0.001000", "0.001000", 0],
  ["0.000000", "0.000000", 0],
  ["0.000500", "0.000500", 1],
  ["0.002000", "0.002000", 1],
  ["0.100000", "0.100000", 1],
  ["0.100001", "0.001000", 1],
  ["999999999999999.000000", "0.001000", 1],
  ["-1000", "0.001000", 1],
  ["-0.001000", "0.001000", 1],
  ["NaN", "0.001000", 1],
  ["Infinity", "0.001000", 1],
  ["1e3", "0.001000", 1],
  ["", "0.001000", 1],
  [" 0.001000", "0.001000", 1],
  [0.001, "0.001000", 1],
  [-1000, "0.001000", 1],
  [Number.NaN, "0.001000", 1],
  [null, "0.001000", 1],
  [undefined, "0.001000", 1],
  [{}, "0.001000", 1],
  [["0.000000"], "0.001000", 1],
])("a stated charge of %j counts %s, with %d notices", async (stated, spent, notices) => {
  const result = await counted(stated);
  expect([result.spent, result.notices.length]).toEqual([spent, notices]);
});

test("whatever a remote states, what was spent never falls, and what is no amount counts the price", async () => {
  const stated = fc.oneof(fc.anything(), fc.string(), fc.double(), fc.bigInt().map(String));
  await fc.assert(
    fc.asyncProperty(stated, async (value) => {
      const { spent, notices } = await counted(value);
      expect(parseUsd(spent)).toBeGreaterThanOrEqual(0n);
      if (typeof value !== "string" || !/^\d{1,15}(\.\d{1,6})?$/.test(value)) {
        expect(spent).toBe("0.001000");
        expect(notices).toHaveLength(1);
      }
    }),
    runs(200),
  );
});

test.each([[{ status: 200, headers: {}, body: "<html>" }], [{ status: 200, headers: {}, body: null }]])(
  "an answer that is no envelope may have been charged: %j",
  async (response) => {
    const within = bounds();
    await governTransport({ send: async () => response }, within).send(target, {}, {});
    expect(formatUsd(within.budget.spent)).toBe("0.001000");
  },
);
