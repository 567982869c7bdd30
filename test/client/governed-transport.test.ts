import { expect, test } from "vitest";
import type { TransportResponse } from "../../src/client/answer.js";
import { Budget } from "../../src/client/budget.js";
import type { Target, Transport } from "../../src/client/client.js";
import { type Bounds, governTransport } from "../../src/client/governed-transport.js";
import { systemRetryPolicy } from "../../src/client/retry.js";
import { formatUsd, parseUsd } from "../../src/contract/money.js";

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
