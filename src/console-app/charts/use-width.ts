import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** The width of an element in pixels, now and whenever it changes; 0 before it is known. */
export function useWidth<E extends HTMLElement>(): readonly [RefObject<E | null>, number] {
  const element = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const at = element.current;
    if (at === null) return;
    setWidth(at.clientWidth);
    const observer = new ResizeObserver(() => setWidth(at.clientWidth));
    observer.observe(at);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
