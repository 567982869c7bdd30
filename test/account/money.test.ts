import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatUsd, parseUsd } from "../../src/contract/money.js";
import { Label } from "../../src/contract/service/label.js";
import { LIMITS } from "../../src/contract/service/limits.js";

describe("money", () => {
  it("round-trips every amount through its six-decimal text", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (amount) => {
        expect(parseUsd(formatUsd(amount))).toBe(amount);
        expect(formatUsd(amount)).toMatch(/^-?\d+\.\d{6}$/);
      }),
    );
  });

  it("adds up texts exactly where floating point does not", () => {
    expect(formatUsd(parseUsd("0.1") + parseUsd("0.2"))).toBe("0.300000");
    expect(formatUsd(parseUsd("-0.000001"))).toBe("-0.000001");
  });

  it.each(["", "1.", ".5", "1e3", "0.0000001", "1,0", " 1", "+1", "NaN", "١"])("refuses %j", (text) => {
    expect(() => parseUsd(text)).toThrow(expect.objectContaining({ code: "invalid_amount", value: text }));
  });
});

describe("limits", () => {
  it("labels every number", () => {
    for (const limit of Object.values(LIMITS)) expect(Label.safeParse(limit.label).success).toBe(true);
  });

  it("states the numbers of service.md section 8", () => {
    expect(LIMITS.requestsPerMinute.value).toBe(60);
    expect(LIMITS.requestsPerMinuteToppedUp.value).toBe(600);
    expect(LIMITS.searchCapPerSecond.value).toBe(100);
    expect(LIMITS.rawVideoCapPerSecond.value).toBe(5);
    expect(LIMITS.freeCallsPerMonth.value).toBe(1000);
    expect(formatUsd(LIMITS.searchPrice.value)).toBe("0.004000");
    expect(formatUsd(LIMITS.rawVideoPrice.value)).toBe("0.001500");
    expect(formatUsd(LIMITS.rawCommentsPrice.value)).toBe("0.001500");
    expect(LIMITS.vectorDimensions.value).toBe(1536);
  });
});
