/**
 * Something measured several times, ms, and what it may be at most: in the median, or each time.
 * @typedef {object} Figure
 * @property {string} name
 * @property {readonly number[]} values
 * @property {number} [target]
 * @property {"median" | "worst"} judged
 */

/**
 * Puts the values of figures of the same name together.
 * @param {readonly Figure[]} figures
 * @returns {readonly Figure[]}
 */
export function merged(figures) {
  /** @type {Map<string, Figure>} */
  const byName = new Map();
  for (const figure of figures) {
    const before = byName.get(figure.name)?.values ?? [];
    byName.set(figure.name, { ...figure, values: [...before, ...figure.values] });
  }
  return [...byName.values()];
}

/**
 * @param {Figure} figure
 * @returns {{ least: number; median: number; worst: number; missed: boolean }}
 */
export function summary({ values, target, judged }) {
  const sorted = [...values].sort((a, b) => a - b);
  const [least, median, worst] = [sorted[0], sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1) ?? 0];
  const held = judged === "median" ? median : worst;
  return { least, median, worst, missed: target !== undefined && held > target };
}

/**
 * A table of figures for people.
 * @param {readonly Figure[]} figures
 * @returns {string}
 */
export function table(figures) {
  const width = Math.max(...figures.map(({ name }) => name.length));
  const cells = (/** @type {readonly string[]} */ row) => row.map((cell) => cell.padStart(8)).join("");
  const lines = figures.map((figure) => {
    const { least, median, worst, missed } = summary(figure);
    const target = figure.target === undefined ? "" : `${figure.judged} ≤ ${figure.target}`;
    const numbers = cells([least, median, worst].map((value) => value.toFixed(1)));
    return `${figure.name.padEnd(width)}${numbers}  ${target.padEnd(14)}${missed ? "MISSED" : ""}`.trimEnd();
  });
  return [`${"ms".padEnd(width)}${cells(["least", "median", "worst"])}  target`, ...lines].join("\n");
}
