import { signal } from "@preact/signals";
import { ROOT } from "./root.js";

/** Every view of the console, in the order of the navigation. */
export const TABS = ["search", "raw", "datasets", "keys", "usage", "endpoints", "sql"] as const;
export type Tab = (typeof TABS)[number];

/** The state of a view: the address says it all. */
export type Params = Readonly<Record<string, string>>;

/** What the address names. */
export interface Place {
  readonly tab: Tab | undefined;
  readonly params: Params;
}

function read(): Place {
  const { pathname } = location;
  const path = pathname.startsWith(ROOT) ? pathname.slice(ROOT.length) : "";
  const name = /^console\/([a-z]+)\/?$/.exec(path)?.[1];
  return {
    tab: TABS.find((tab) => tab === name),
    params: Object.fromEntries(new URLSearchParams(location.search)),
  };
}

/** Where the person is. */
export const place = signal<Place>(read());

addEventListener("popstate", () => {
  place.value = read();
});

/** The address of a view. Empty parameters are left out. */
export function addressOf(tab: Tab, params: Readonly<Record<string, string | undefined>> = {}): string {
  const pairs = Object.entries(params).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(pairs as [string, string][]).toString();
  return `${ROOT}console/${tab}${query === "" ? "" : `?${query}`}`;
}

/** Goes to a view. */
export function navigate(
  tab: Tab,
  params: Readonly<Record<string, string | undefined>> = {},
  { replace = false }: { readonly replace?: boolean } = {},
): void {
  const address = addressOf(tab, params);
  if (address === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", address);
  place.value = read();
}

/** Changes parameters of the view at hand; undefined removes one. */
export function change(params: Readonly<Record<string, string | undefined>>, replace = false): void {
  const { tab, params: before } = place.value;
  navigate(tab ?? "search", { ...before, ...params }, { replace });
}

/** Replaces the address without going anywhere. */
export function replacePath(path: string): void {
  history.replaceState(null, "", path);
  place.value = read();
}

/** A list in a parameter. */
export function listOf(text: string | undefined): readonly string[] {
  return text === undefined || text === "" ? [] : text.split(",");
}
