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

/** Longest parameters that a server is asked with, characters: many take 8 kB of a request's head. Longer ones stay in the browser. */
const ASKED = 4_000;

/** Begins parameters that stay in the browser. */
const KEPT = "#?";

/** The parameters as the address has them, with what begins them. */
function written(): string {
  return location.hash.startsWith(KEPT) ? location.hash : location.search;
}

function read(): Place {
  const { pathname } = location;
  const path = pathname.startsWith(ROOT) ? pathname.slice(ROOT.length) : "";
  const name = /^console\/([a-z]+)\/?$/.exec(path)?.[1];
  return {
    tab: TABS.find((tab) => tab === name),
    params: Object.fromEntries(new URLSearchParams(written().replace(/^#/, ""))),
  };
}

/** Where the person is. */
export const place = signal<Place>(read());

addEventListener("popstate", () => {
  place.value = read();
});

/** The address of a view. Empty parameters are left out; long ones, such as a query with many ids, are not sent to the server with it. */
export function addressOf(tab: Tab, params: Readonly<Record<string, string | undefined>> = {}): string {
  const pairs = Object.entries(params).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(pairs as [string, string][]).toString();
  const begin = query === "" ? "" : query.length > ASKED ? KEPT : "?";
  return `${ROOT}console/${tab}${begin}${query}`;
}

/** Goes to a view. */
export function navigate(
  tab: Tab,
  params: Readonly<Record<string, string | undefined>> = {},
  { replace = false }: { readonly replace?: boolean } = {},
): void {
  const address = addressOf(tab, params);
  if (address === location.pathname + written()) return;
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
