import { checkArgument } from "../contract/check-options.js";
import { objectOption } from "../contract/option-schemas.js";
import { html, type Markup } from "./markup.js";
import { STYLE } from "./style.js";

/** Symbol of the method that Jupyter kernels call to display a value (Deno's kernel supports it). */
export const JUPYTER_DISPLAY: unique symbol = Symbol.for("Jupyter.display");

const NODE_INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** A display value: HTML for a notebook, plain text for a terminal. */
export interface View {
  /** A self-contained HTML fragment: no script, font, image or network access. */
  toHTML(): string;
  toString(): string;
  /** Representations for a Jupyter kernel, by media type. */
  [JUPYTER_DISPLAY](): { readonly "text/html": string; readonly "text/plain": string };
}

/** A kernel's display: tslab's `display`, or any function object that accepts HTML. */
export interface KernelDisplay {
  html(text: string): void;
}

/** Creates a view of an HTML body (without the style) and its plain text. */
export function createView(body: Markup, plain: string): View {
  const text = html`<style>${STYLE}</style>${body}`.toString();
  const inspectable = {
    toHTML: () => text,
    toString: () => plain,
    [JUPYTER_DISPLAY]: () => ({ "text/html": text, "text/plain": plain }),
    [NODE_INSPECT]: () => plain,
  };
  return inspectable;
}

const DisplayOption = objectOption<KernelDisplay>(["html"], "a display: an object with html(text)");

/**
 * Returns a function that shows views with a kernel's display, for kernels without {@link JUPYTER_DISPLAY}:
 * `const show = displayIn(tslab.display)`.
 */
export function displayIn(display: KernelDisplay): (...views: readonly View[]) => void {
  checkArgument(DisplayOption, display, "display", "displayIn");
  return (...views) => {
    for (const view of views) display.html(view.toHTML());
  };
}
