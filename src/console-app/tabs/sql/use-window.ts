import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

type Options = Pick<
  VirtualizerOptions<HTMLElement, Element>,
  | "count"
  | "estimateSize"
  | "horizontal"
  | "overscan"
  | "paddingStart"
  | "scrollPaddingStart"
  | "scrollPaddingEnd"
>;

/** What is seen of many rows or columns that scroll in a box, now and whenever it scrolls. What they are stays the same. */
export function useWindow(
  box: RefObject<HTMLElement | null>,
  options: Options,
): Virtualizer<HTMLElement, Element> {
  const [, redraw] = useState(0);
  const kept = useRef<Virtualizer<HTMLElement, Element>>(undefined);
  kept.current ??= new Virtualizer<HTMLElement, Element>({
    ...options,
    getScrollElement: () => box.current,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    initialRect: { width: 1280, height: 480 },
    onChange: () => redraw((n) => n + 1),
  });
  const virtualizer = kept.current;
  useLayoutEffect(() => {
    const end = virtualizer._didMount();
    virtualizer._willUpdate();
    redraw((n) => n + 1);
    return end;
  }, []);
  return virtualizer;
}
