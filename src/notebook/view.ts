import { checkArgument } from "../contract/check-options.js";
import { objectOption } from "../contract/option-schemas.js";
import { html, type Markup } from "./markup.js";
import { STYLE } from "./style.js";

/** Under this symbol a value tells a Jupyter kernel how it is to be shown (Deno's kernel knows it). */
export const JUPYTER_DISPLAY: unique symbol = Symbol.for("Jupyter.display");

const NODE_INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** Something to look at: HTML for a notebook, plain text for a terminal. */
export interface View {
  /** A fragment of HTML that needs nothing from outside: no script, no font, no image, no network. */
  toHTML(): string;
  toString(): string;
  /** What a Jupyter kernel shows: a representation by media type. */
  [JUPYTER_DISPLAY](): { readonly "text/html": string; readonly "text/plain": string };
}

/** A display of a kernel: tslab's `display`, or anything that takes HTML. */
export interface KernelDisplay {
  html(text: string): void;
}

/** A view of a body (without its style) and its plain text. */
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
 * A function that shows views through a kernel's display, for kernels that do not know {@link JUPYTER_DISPLAY}:
 * `const show = displayIn(tslab.display)`.
 */
export function displayIn(display: KernelDisplay): (...views: readonly View[]) => void {
  checkArgument(DisplayOption, display, "display", "displayIn");
  return (...views) => {
    for (const view of views) display.html(view.toHTML());
  };
}
