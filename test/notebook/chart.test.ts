import type * as Plot from "@observablehq/plot";
import { DateDay, Float64, Table, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { barChart } from "../../src/notebook/bar-chart.js";
import { diverging, plotChart } from "../../src/notebook/chart.js";
import { lineChart } from "../../src/notebook/line-chart.js";
import { visible } from "../../src/notebook/markup.js";
import { divergingColor } from "../../src/notebook/palette.js";
import type { PlotFunctionName, PlotLibrary } from "../../src/notebook/plot-library.js";
import { scatterChart } from "../../src/notebook/scatter-chart.js";
import type { View } from "../../src/notebook/view.js";
import { runs } from "../support/campaign.js";
import { attribute, dangers, parsed, textsOf } from "./parsed.js";
import { anyText } from "./texts.js";

const prices = ["Café", "手机", "Agua"].flatMap((product, p) =>
  [22, 23, 24].map((day) => ({ product, day: `2026-05-${day}T00:00:00.000Z`, price: 10 * p + day / 3 })),
);
const line = () =>
  lineChart(prices, { x: "day", y: "price", series: "product", unit: "EUR", title: "Prices" });

/** The functions of Plot by Plot's own types. */
type OwnFunctionName = Exclude<
  {
    [name in keyof typeof Plot]: (typeof Plot)[name] extends (...args: never[]) => unknown ? name : never;
  }[keyof typeof Plot],
  undefined
>;

const marks = (view: View, label: string) =>
  parsed(view.toHTML()).elements.filter((element) => attribute(element, "aria-label") === label);

describe("charts", () => {
  test("the same data gives the same bytes", async () => {
    const scatter = () => scatterChart(prices, { x: "day", y: "price", color: "product", label: "product" });
    const bars = () => barChart(prices.slice(0, 3), { x: "price", y: "day" });
    for (const draw of [line, scatter, bars]) expect((await draw()).toHTML()).toBe((await draw()).toHTML());
  });

  test("coordinates are kept to a thousandth of a pixel", async () => {
    const numbers = (await line()).toHTML().match(/(?<=<svg.*)-?\d+\.\d{4,}/gs) ?? [];
    expect(numbers).toEqual([]);
  });

  test("axes have labels with units, the picture has a name", async () => {
    const view = await line();
    const texts = textsOf(view.toHTML(), "text");
    expect(texts).toContain("↑ price (EUR)");
    const svg = parsed(view.toHTML()).elements.find(({ tagName }) => tagName === "svg")!;
    expect([attribute(svg, "role"), attribute(svg, "aria-label")]).toEqual(["img", "Prices"]);
    expect(String(view)).toBe("Prices");
  });

  test("lines are named where they end, and no name covers another", async () => {
    const close = ["a", "b", "c", "d"].flatMap((name, i) => [
      { name, x: 1, y: 5 + i },
      { name, x: 2, y: 5 + i / 1000 },
    ]);
    const view = await lineChart(close, { x: "x", y: "y", series: "name" });
    const labels = parsed(view.toHTML()).elements.filter(
      (element) => element.tagName === "text" && "abcd".includes(textOf(element)),
    );
    const heights = labels.map((element) => Number(/,([\d.]+)\)/.exec(attribute(element, "transform"))![1]));
    expect(heights).toHaveLength(4);
    const gaps = [...heights].sort((a, b) => a - b).map((y, i, all) => (i === 0 ? 15 : y - all[i - 1]!));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(14.9);
  });

  test("draws the lines with the most points where there are too many, and says so", async () => {
    const rows = Array.from({ length: 200 }, (_, i) =>
      Array.from({ length: i < 3 ? 3 : 2 }, (_, x) => ({ x, y: i, name: `line ${i}` })),
    ).flat();
    const html = (await lineChart(rows, { x: "x", y: "y", series: "name", limit: 5 })).toHTML();
    for (const name of ["line 0", "line 1", "line 2"]) expect(html).toContain(`>${name}<`);
    expect(html.match(/>line \d+</g)).toHaveLength(5);
    expect(html).toContain("195 of 200 lines left out: those with the fewest points.");
    const few = (await lineChart(rows.slice(0, 9), { x: "x", y: "y", series: "name" })).toHTML();
    expect(few).not.toContain("left out");
  });

  test("bars begin at zero and say their values; both signs have colours of their own", async () => {
    const view = await barChart(
      [
        { n: "up", v: 2 },
        { n: "down", v: -4 },
      ],
      { x: "v", y: "n", unit: "%" },
    );
    const bars = parsed(view.toHTML()).elements.filter(({ tagName }) => tagName === "rect");
    const [up, down] = bars.map((bar) => ({
      x: Number(attribute(bar, "x")),
      width: Number(attribute(bar, "width")),
    }));
    expect(up!.x).toBeCloseTo(down!.x + down!.width, 1);
    expect(down!.width / up!.width).toBeCloseTo(2, 1);
    expect(bars.map((bar) => attribute(bar, "fill"))).toEqual([divergingColor(0.75), divergingColor(0)]);
    expect(textsOf(view.toHTML(), "text")).toEqual(expect.arrayContaining(["2", "−4", "v (%) →"]));
  });

  test("the key names every category; the rarest beyond ten are one", async () => {
    const rows = Array.from({ length: 30 }, (_, i) => ({ x: i, y: i, kind: `k${Math.min(i, 12)}` }));
    const view = await scatterChart(rows, { x: "x", y: "y", color: "kind" });
    const key = parsed(view.toHTML()).elements.filter(
      (element) => attribute(element, "class") === "ml-swatch",
    );
    expect(key).toHaveLength(10);
    expect(textsOf(view.toHTML(), ".ml-legend")[0]).toMatch(/^k12k0k1.*other$/);
    expect(marks(view, "dot")[0]!.childNodes).toHaveLength(30);
  });

  test("what has no value is left out and told", async () => {
    const view = await scatterChart(
      [
        { x: 1, y: 2 },
        { x: 2, y: null },
        { x: 3, y: 1 },
      ],
      { x: "x", y: "y", note: "N." },
    );
    expect(textsOf(view.toHTML(), ".ml-note")).toEqual(["N. 1 row without a value left out."]);
  });

  test("what no axis reaches is left out and told, in every chart", async () => {
    const rates = [
      { name: "a", rate: 0.5 },
      { name: "b", rate: Number.POSITIVE_INFINITY },
      { name: "c", rate: Number.NEGATIVE_INFINITY },
      { name: "d", rate: Number.NaN },
    ];
    const rows = rates.map((row, i) => ({ ...row, i }));
    const told = ["1 row without a value left out. 2 rows with an infinite value left out."];
    for (const view of [
      await barChart(rows, { x: "rate", y: "name" }),
      await lineChart(rows, { x: "i", y: "rate" }),
      await scatterChart(rows, { x: "i", y: "rate" }),
    ])
      expect(textsOf(view.toHTML(), ".ml-note")).toEqual(told);
    expect(marks(await barChart(rows, { x: "rate", y: "name" }), "bar")[0]!.childNodes).toHaveLength(1);
  });

  test("each row has a bar of its own, also where names are equal; integers have all digits, decimals may be text", async () => {
    const view = await barChart(
      [
        { name: "same", n: 9_007_199_254_740_993n },
        { name: "same", n: "4.5" },
      ],
      { x: "n", y: "name", digits: 1 },
    );
    expect(marks(view, "bar")[0]!.childNodes).toHaveLength(2);
    const texts = textsOf(view.toHTML(), "text");
    expect(texts.filter((text) => text === "same")).toHaveLength(2);
    expect(texts).toContain("9,007,199,254,740,993");
    expect(texts).toContain("4.5");
  });

  test("days and instants of an Arrow table are times", async () => {
    const days = vectorFromArray([Date.UTC(2026, 4, 27), Date.UTC(2026, 4, 28)], new DateDay());
    const view = await lineChart(new Table({ day: days, n: vectorFromArray([1, 2], new Float64()) }), {
      x: "day",
      y: "n",
    });
    expect(textsOf(view.toHTML(), "text").some((text) => /May/.test(text))).toBe(true);
  });

  test("nothing to show is an empty chart", async () => {
    for (const view of [
      await lineChart([], { x: "a", y: "b", series: "c" }),
      await barChart([], { x: "a", y: "b" }),
      await scatterChart([], { x: "a", y: "b", color: "c", bare: true }),
    ])
      expect(parsed(view.toHTML()).names).toContain("svg");
  });

  test("columns that are not there, or hold no numbers, are refused by name", async () => {
    await expect(barChart([{ a: 1 }], { x: "b", y: "a" })).rejects.toMatchObject({
      code: "unknown_column",
      value: "b",
      remedy: "use one of a",
    });
    await expect(barChart([{ a: "x" }], { x: "a", y: "a" })).rejects.toMatchObject({
      code: "not_a_number",
      value: "x",
    });
  });

  test("no text, in any chart, becomes an element, a handler or an address", { tags: "slow" }, async () => {
    await fc.assert(
      fc.asyncProperty(anyText(), anyText(), async (a, b) => {
        fc.pre(a !== b);
        const rows = [
          { name: a, x: 1, y: -2 },
          { name: b, x: 2, y: 3 },
        ];
        const frame = { title: a, subtitle: b, note: a };
        const views = [
          await lineChart(rows, { x: "x", y: "y", series: "name", yLabel: a, ...frame }),
          await barChart(rows, { x: "y", y: "name", color: "name", xLabel: b, ...frame }),
          await scatterChart(rows, { x: "x", y: "y", color: "name", label: "name", xLabel: a, ...frame }),
        ];
        const allowed = [
          "div",
          "span",
          "svg",
          "g",
          "path",
          "line",
          "rect",
          "circle",
          "text",
          "tspan",
          "title",
        ];
        for (const view of views) {
          expect(parsed(view.toHTML()).names.filter((name) => !allowed.includes(name))).toEqual([]);
          expect(dangers(view.toHTML())).toEqual([]);
          expect(textsOf(view.toHTML(), ".ml-title")).toEqual([visible(a)]);
        }
      }),
      runs(25),
    );
  });

  test("a chart of one's own cannot run or load anything", async () => {
    const rows = [{ x: 1, y: 1, href: "javascript:alert(1)", src: "https://tracker.example/x.png" }];
    const view = await plotChart((Plot) => ({
      marks: [
        Plot.dot(rows, { x: "x", y: "y", href: "href" }),
        Plot.image(rows, { x: "x", y: "y", src: "src" }),
        Plot.text(rows, { x: "x", y: "y", text: "src", fill: "url(https://tracker.example/p)" }),
      ],
    }));
    expect(dangers(view.toHTML())).toEqual([]);
    expect(view.toHTML()).not.toMatch(/javascript:|href="https|url\(https/);
  });

  test("links to pages are kept", async () => {
    const view = await plotChart((Plot) => ({
      marks: [Plot.dot([{ x: 1, y: 1 }], { x: "x", y: "y", href: () => "https://example.com/?a=1&b=2" })],
    }));
    expect(view.toHTML()).toContain('href="https://example.com/?a=1&amp;b=2"');
  });

  const many = Array.from({ length: 40 }, (_, i) => ({
    x: i % 7,
    y: (i * i) % 11,
    f: i % 2 ? "odd" : "even",
  }));
  test.each<[string, (Plot: PlotLibrary) => object]>([
    ["binned bars", (Plot) => Plot.rectY(many, Plot.binX({ y: "count" }, { x: "x" }))],
    ["facets", (Plot) => Plot.dot(many, { x: "x", y: "y", fx: "f" })],
    ["areas, clipped", (Plot) => Plot.areaY(many, { x: "x", y: "y", clip: true })],
    ["a regression", (Plot) => Plot.linearRegressionY(many, { x: "x", y: "y" })],
    ["differences", (Plot) => Plot.differenceY(many, { x: "x", y1: "y", y2: 3 })],
    ["density", (Plot) => Plot.density(many, { x: "x", y: "y" })],
    ["hexagons", (Plot) => Plot.hexagon(many, Plot.hexbin({ r: "count" }, { x: "x", y: "y" }))],
    ["wrapped text", (Plot) => Plot.text(many, { x: "x", y: "y", text: "f", lineWidth: 3, title: "f" })],
    ["arrows", (Plot) => Plot.arrow(many.slice(0, 2), { x1: "x", y1: "y", x2: 3, y2: 3 })],
    ["lines with markers", (Plot) => Plot.line(many, { x: "x", y: "y", marker: "arrow" })],
    ["waffles", (Plot) => Plot.waffleY(many, Plot.groupX({ y: "count" }, { x: "x" }))],
    ["box plots", (Plot) => Plot.boxX(many, { x: "x", y: "f" })],
    ["trees", (Plot) => Plot.tree(["a/b", "a/c"])],
  ])("%s are drawn without a browser", async (_, mark) => {
    const view = await plotChart((Plot) => ({ style: { fontWeight: "bold" }, marks: [mark(Plot)] }));
    expect(view.toHTML()).toContain("font-weight:bold");
    expect(view.toHTML().match(/<(path|rect|circle|text|g) /g)!.length).toBeGreaterThan(3);
    expect(dangers(view.toHTML())).toEqual([]);
  });

  test("the functions are those of Plot, and may be named by its own types", async () => {
    const names: Record<OwnFunctionName, true> extends Record<PlotFunctionName, true> ? true : never = true;
    const missed: Record<PlotFunctionName, true> extends Record<OwnFunctionName, true> ? true : never = true;
    expect([names, missed]).toEqual([true, true]);
    const own = plotChart((Plot) => ({
      x: { tickFormat: (day) => day.toFixed(1) },
      color: diverging([-1, 2]),
      marks: [Plot.dot([{ a: 1 }], { x: (row) => row.a, fill: "a" })],
    }));
    const theirs = plotChart(
      (library: typeof Plot): Plot.PlotOptions => ({
        x: { tickFormat: (day: number) => day.toFixed(1) },
        color: diverging([-1, 2]),
        marks: [library.dot([{ a: 1 }], { x: (row: { a: number }) => row.a, fill: "a" })],
      }),
    );
    expect((await theirs).toHTML()).toBe((await own).toHTML());
    // @ts-expect-error Plot has no such option
    expect((await plotChart(() => ({ markz: [] }))).toHTML()).toContain("<svg");
    // @ts-expect-error Plot has no such mark
    await expect(plotChart((Plot) => ({ marks: [Plot.dott([])] }))).rejects.toThrow(TypeError);
  });

  test("a mark that needs a browser is refused with what to do", async () => {
    const raster = plotChart((Plot) => ({
      marks: [Plot.raster({ x1: 0, x2: 1, y1: 0, y2: 1, fill: (x: number, y: number) => x * y })],
    }));
    await expect(raster).rejects.toMatchObject({ code: "chart_needs_browser", value: "canvas" });
  });

  test("colours around a middle reach equally far to both sides", () => {
    expect(diverging([-1, 4], { label: "tone" })).toMatchObject({ domain: [-4, 4], label: "tone" });
    expect(diverging([11, 8], { middle: 10 }).domain).toEqual([8, 12]);
    expect(diverging([]).domain).toEqual([-1, 1]);
    expect([divergingColor(0.5), divergingColor(-3), divergingColor(0)]).toEqual([
      "rgb(150, 152, 160)",
      "rgb(214, 96, 30)",
      "rgb(214, 96, 30)",
    ]);
  });

  test("without Observable Plot the error says how to get it", async () => {
    vi.resetModules();
    vi.doMock("@observablehq/plot", () => {
      throw new Error("Cannot find package");
    });
    const fresh = await import("../../src/notebook/chart.js");
    await expect(fresh.plotChart(() => ({}))).rejects.toMatchObject({
      code: "plot_missing",
      remedy: "npm install @observablehq/plot",
    });
    vi.doUnmock("@observablehq/plot");
    vi.resetModules();
  });
});

function textOf(element: { readonly childNodes: readonly unknown[] }): string {
  return element.childNodes.map((node) => (node as { value?: string }).value ?? "").join("");
}
