import type { ComponentChildren } from "preact";
import { addressOf, navigate, type Tab } from "../router.js";

/** A link to a view of the console. Pressed with a modifier key it is the browser's, which opens it elsewhere. */
export function PlaceLink(props: {
  readonly tab: Tab;
  readonly params?: Readonly<Record<string, string | undefined>>;
  /** Whether the view is the one at hand. */
  readonly current?: boolean;
  readonly children: ComponentChildren;
}) {
  const { tab, params, current = false, children } = props;
  return (
    <a
      href={addressOf(tab, params)}
      aria-current={current ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        navigate(tab, params);
      }}
    >
      {children}
    </a>
  );
}
