/** Ten colours that are distinct on light and dark pages, the most different first. */
export const CATEGORY_COLORS: readonly string[] = [
  "#4269d0",
  "#e08214",
  "#3ca951",
  "#e4515f",
  "#a463f2",
  "#38a3a5",
  "#9c6b4e",
  "#e377b8",
  "#7a8aa0",
  "#b5a11c",
];

/** Colour of all other categories. */
export const OTHER_COLOR = "#8d8f98";

type Rgb = readonly [number, number, number];

/** Orange for less, grey for the middle, blue for more: distinct with red-green colour blindness. */
const DIVERGING: readonly [Rgb, Rgb, Rgb] = [
  [214, 96, 30],
  [150, 152, 160],
  [45, 100, 214],
];

/** Colour at a place of a diverging scale: 0 is the minimum, 0.5 the middle, 1 the maximum. */
export function divergingColor(place: number): string {
  const at = Math.min(1, Math.max(0, place)) * 2;
  const [from, to] = at < 1 ? [DIVERGING[0], DIVERGING[1]] : [DIVERGING[1], DIVERGING[2]];
  const mix = at < 1 ? at : at - 1;
  const channel = (i: 0 | 1 | 2) => Math.round(from[i] + (to[i] - from[i]) * mix);
  return `rgb(${channel(0)}, ${channel(1)}, ${channel(2)})`;
}
