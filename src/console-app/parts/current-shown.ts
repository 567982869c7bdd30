import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** On a phone the links of a navigation scroll: shows the current one whenever it is another. */
export function useCurrentShown<E extends HTMLElement>(current: string | undefined): RefObject<E | null> {
  const nav = useRef<E>(null);
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current]);
  return nav;
}
