import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { projectVectors } from "../../src/notebook/project-vectors.js";
import { runs } from "../support/campaign.js";

/** Points in `width` dimensions that vary along two directions only, three times as far along the first. */
function flat(width: number, count: number): number[][] {
  const along = (k: number) =>
    Array.from({ length: width }, (_, i) => Math.cos(((i + 0.5) * k * Math.PI) / width));
  const [first, second] = [along(1), along(2)];
  return Array.from({ length: count }, (_, n) => {
    const [a, b] = [3 * Math.sin(n * 2.1), Math.cos(n * 1.3)];
    return first.map((value, i) => 7 + a * value + b * second[i]!);
  });
}

const distance = (a: readonly number[], b: readonly number[]) =>
  Math.hypot(...a.map((value, i) => value - b[i]!));

describe("a map of vectors", () => {
  test("refuses numbers that are not finite", async () => {
    for (const odd of [Number.NaN, Number.POSITIVE_INFINITY])
      await expect(
        projectVectors([
          [1, 2],
          [1, odd],
        ]),
      ).rejects.toMatchObject({
        code: "not_a_number",
        value: odd,
        message: expect.stringContaining("Vector 1"),
      });
  });

  test("keeps all distances of what lies in a plane", async () => {
    const vectors = flat(64, 40);
    const { points, explained } = await projectVectors(vectors);
    expect(explained[0] + explained[1]).toBeCloseTo(1, 10);
    expect(explained[0]).toBeGreaterThan(explained[1]);
    for (let i = 1; i < vectors.length; i++) {
      const { x, y } = points[i]!;
      const map = Math.hypot(x - points[0]!.x, y - points[0]!.y);
      expect(map).toBeCloseTo(distance(vectors[i]!, vectors[0]!), 8);
    }
  });

  test("is centred, its axes are uncorrelated, and it is the same every time", async () => {
    const vector = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(vector, { minLength: 3, maxLength: 25 }), async (vectors) => {
        const map = await projectVectors(vectors);
        expect(
          await projectVectors(
            vectors.map((each) => Float32Array.from(each)).map((each) => Array.from(each)),
          ),
        ).toHaveProperty("points");
        expect(await projectVectors(vectors)).toEqual(map);
        const sum = (of: (point: { x: number; y: number }) => number) =>
          map.points.reduce((s, point) => s + of(point), 0);
        const spread = sum(({ x, y }) => x * x + y * y);
        expect(sum(({ x }) => x)).toBeCloseTo(0, 6);
        expect(sum(({ y }) => y)).toBeCloseTo(0, 6);
        expect(Math.abs(sum(({ x, y }) => x * y))).toBeLessThanOrEqual(1e-3 * spread + 1e-9);
        expect(map.explained[0] + map.explained[1]).toBeLessThanOrEqual(1 + 1e-9);
        expect(map.explained[0]).toBeGreaterThanOrEqual(map.explained[1] - 1e-9);
      }),
      runs(50),
    );
  });

  test("finds the components of a known covariance", async () => {
    const vectors = [
      [2, 0, 0],
      [-2, 0, 0],
      [0, 1, 0],
      [0, -1, 0],
      [0, 0, 0.5],
      [0, 0, -0.5],
    ];
    const { points, explained } = await projectVectors(vectors);
    expect(explained[0]).toBeCloseTo(8 / 10.5, 10);
    expect(explained[1]).toBeCloseTo(2 / 10.5, 10);
    expect(points[0]!.x).toBeCloseTo(2, 8);
    expect(points[2]!.y).toBeCloseTo(1, 8);
    expect(points[4]).toEqual({ x: expect.closeTo(0, 6), y: expect.closeTo(0, 6) });
  });

  test("none, one, and all alike", async () => {
    expect(await projectVectors([])).toEqual({ points: [], explained: [0, 0] });
    expect(await projectVectors([[1, 2]])).toEqual({ points: [{ x: 0, y: 0 }], explained: [0, 0] });
    expect(
      (
        await projectVectors([
          [1, 2],
          [1, 2],
        ])
      ).explained,
    ).toEqual([0, 0]);
    expect((await projectVectors([[1], [3]])).points).toEqual([
      { x: expect.closeTo(-1, 12), y: 0 },
      { x: expect.closeTo(1, 12), y: 0 },
    ]);
  });

  test("vectors of two lengths are refused", async () => {
    await expect(projectVectors([[1, 2], [1]])).rejects.toMatchObject({ code: "vectors_differ", value: 1 });
  });
});
