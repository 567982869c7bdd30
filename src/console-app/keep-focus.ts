/** What Tab reaches. */
const STOPS = "a[href], button:not(:disabled), input, select, textarea, summary, [tabindex='0']";

/** Parts of the page that can stand for what was in them. */
const PARTS = "[aria-label], article, fieldset, form, main";

/** What had the focus last, what is around it from the inside out, and the stops before it in the order of the page. */
interface Held {
  readonly element: HTMLElement;
  readonly around: readonly HTMLElement[];
  readonly before: readonly HTMLElement[];
}

const isThere = (element: HTMLElement) => element.isConnected && element.checkVisibility();

function hold(root: HTMLElement, element: HTMLElement): Held {
  const around: HTMLElement[] = [];
  for (let at = element.parentElement; at !== null && root.contains(at); at = at.parentElement)
    around.push(at);
  const stops = [...root.querySelectorAll<HTMLElement>(STOPS)];
  return { element, around, before: stops.slice(0, Math.max(0, stops.indexOf(element))) };
}

/** The stop before what went, in the smallest part of the page that is still there; else that part itself. */
function successorOf({ around, before }: Held): HTMLElement | undefined {
  const part = around.find(isThere)?.closest<HTMLElement>(PARTS) ?? undefined;
  if (part === undefined) return undefined;
  return before.findLast((stop) => part.contains(stop) && isThere(stop)) ?? part;
}

/**
 * Keeps the place of who works by keyboard: where what has the focus goes away, what stood before it gets the focus, or the part of the
 * page that it was in. Left to themselves, browsers give it to nothing.
 */
export function keepFocus(root: HTMLElement): void {
  let held: Held | undefined;
  root.addEventListener("focusin", ({ target }) => {
    held = hold(root, target as HTMLElement);
  });
  // Who points elsewhere wants the focus nowhere.
  root.ownerDocument.addEventListener("pointerdown", () => {
    held = undefined;
  });
  const look = () => {
    const active = document.activeElement;
    if (held === undefined || isThere(held.element)) return;
    if (active !== null && active !== document.body && active !== held.element) return;
    const next = successorOf(held);
    held = undefined;
    if (next === undefined) return;
    if (!next.matches(STOPS)) next.tabIndex = -1;
    next.focus({ preventScroll: !next.matches(STOPS) });
  };
  new MutationObserver(look).observe(root, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["open"],
  });
}
