import type { Scale } from "@observablehq/plot";
import { digitsOf, formatNumber } from "./format-value.js";
import { html, type Markup } from "./markup.js";

const STEPS = 24;

/** The legend of a chart's colours: a swatch per category; for numbers a ramp with its ends and middle. */
export function legendOf(scale: Scale | undefined, label: string | undefined): Markup | undefined {
  if (scale === undefined) return undefined;
  const domain = [...(scale.domain ?? [])] as readonly unknown[];
  if (scale.type === "ordinal" || scale.type === "categorical") {
    if (domain.length < 2) return undefined;
    return html`<div class="ml-legend">${domain.map(
      (value) =>
        html`<span>${swatch(String(scale.apply(value)))}<span dir="auto">${String(value)}</span></span>`,
    )}</div>`;
  }
  const ends = domain.filter((value): value is number => typeof value === "number");
  const [first, last] = [ends[0], ends.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const at = (step: number) => String(scale.apply(first + ((last - first) * step) / STEPS));
  const stops = Array.from({ length: STEPS + 1 }, (_, step) => at(step)).join(",");
  const digits = digitsOf([first, last]);
  const name = label === undefined ? undefined : html`<span dir="auto">${label}</span>`;
  return html`<div class="ml-legend">${name}<span><span class="ml-count">${formatNumber(first, digits)}</span><span style="width:140px;height:11px;border-radius:2px;background:linear-gradient(90deg,${stops})"></span><span class="ml-count">${formatNumber(last, digits)}</span></span></div>`;
}

function swatch(color: string): Markup {
  return html`<span class="ml-swatch" style="background:${color}"></span>`;
}
