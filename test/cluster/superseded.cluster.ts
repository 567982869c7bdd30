import { expect, it } from "vitest";
import { rootList } from "../../src/clickhouse/superseded.js";

it("roots stand in SQL only as digits, whatever the table of loads says", () => {
  const root = "0123456789abcdef".repeat(4);
  expect(rootList([root, root])).toBe(`'${root}', '${root}'`);
  expect(rootList([])).toBe("''");
  for (const bad of ["') OR 1 = 1 --", root.toUpperCase(), `${root}'`, ""])
    expect(() => rootList([root, bad])).toThrow(
      expect.objectContaining({ code: "cluster_damaged", value: bad }),
    );
});
