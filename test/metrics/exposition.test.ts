import fc from "fast-check";
import { expect, test } from "vitest";
import { LakeError } from "../../src/contract/errors.js";
import { causeOf } from "../../src/metrics/call-metrics.js";
import { writeMetrics } from "../../src/metrics/exposition.js";
import { Histogram } from "../../src/metrics/histogram.js";
import { Tally } from "../../src/metrics/tally.js";
import { ANY_CHARACTER } from "../support/any-character.js";
import { readMetrics } from "./read-metrics.js";

test("any label and any number is read back as it was written", () => {
  const value = fc.oneof(fc.double({ noNaN: true }), fc.bigInt({ min: 0n, max: 2n ** 53n }));
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER }), fc.string(), value, (label, help, number) => {
      const text = writeMetrics([
        {
          name: "a_total",
          help,
          type: "counter",
          samples: [{ labels: { each: label, le: "+Inf" }, value: number }],
        },
      ]);
      expect(readMetrics(text)).toEqual([
        {
          name: "a_total",
          labels: { each: label, le: "+Inf" },
          value: Object.is(number, -0) ? 0 : Number(number),
        },
      ]);
    }),
  );
});

test("the text is as the format says", () => {
  const histogram = new Histogram([0.1, 1]);
  for (const seconds of [0.05, 0.1, 0.5, 7]) histogram.observe(seconds);
  const tally = new Tally(["code"]);
  tally.add("b");
  tally.add("a");
  tally.add("b");
  const text = writeMetrics([
    { name: "t_seconds", help: "A\\B\nC", type: "histogram", samples: histogram.samples({ of: 'x"y' }) },
    { name: "n_total", help: "N.", type: "counter", samples: tally.samples },
    { name: "absent", help: "None.", type: "gauge", samples: [] },
  ]);
  expect(text).toBe(`# HELP t_seconds A\\\\B\\nC
# TYPE t_seconds histogram
t_seconds_bucket{of="x\\"y",le="0.1"} 2
t_seconds_bucket{of="x\\"y",le="1"} 3
t_seconds_bucket{of="x\\"y",le="+Inf"} 4
t_seconds_sum{of="x\\"y"} 7.65
t_seconds_count{of="x\\"y"} 4
# HELP n_total N.
# TYPE n_total counter
n_total{code="a"} 1
n_total{code="b"} 2
`);
});

test("the cause of a failure is a code or a class, never a text", () => {
  class Odd extends Error {
    override readonly name = "what was asked: x";
  }
  expect(causeOf(new LakeError("cluster_failed", "SELECT 'secret'", { value: "secret", remedy: "" }))).toBe(
    "cluster_failed",
  );
  expect([causeOf(new RangeError("secret")), causeOf(new Odd()), causeOf("secret")]).toEqual([
    "RangeError",
    "unknown",
    "unknown",
  ]);
});
