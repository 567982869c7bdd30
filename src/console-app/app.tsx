import { useEffect, useRef } from "preact/hooks";
import type { LakeAnswer } from "../console/answers.js";
import { lakeState } from "./api.js";
import { Header } from "./parts/header.js";
import { lazy } from "./parts/lazy.js";
import { SignIn } from "./parts/sign-in.js";
import { Failure, Loading } from "./parts/states.js";
import { useResource } from "./resource.js";
import { place, type Tab } from "./router.js";
import { sessionProblem } from "./session.js";
import { SearchTab } from "./tabs/search/search-tab.js";

/** What every view gets. */
export interface TabProps {
  readonly lake: LakeAnswer;
  /** Reads the facts of the lake again. */
  readonly refresh: () => void;
}

const TITLES: Readonly<Record<Tab, string>> = {
  search: "Search",
  raw: "Raw data",
  datasets: "Datasets",
  keys: "API keys",
  usage: "Usage",
  endpoints: "Endpoints",
  sql: "SQL",
};

// Only the first view is in the first load.
const VIEWS: Readonly<Record<Tab, (props: TabProps) => preact.ComponentChild>> = {
  search: (props) => <SearchTab {...props} />,
  raw: lazy(async () => (await import("./tabs/raw/raw-tab.js")).RawTab),
  datasets: lazy(async () => (await import("./tabs/datasets/datasets-tab.js")).DatasetsTab),
  keys: lazy(async () => (await import("./tabs/keys/keys-tab.js")).KeysTab),
  usage: lazy(async () => (await import("./tabs/usage/usage-tab.js")).UsageTab),
  endpoints: lazy(async () => (await import("./tabs/endpoints/endpoints-tab.js")).EndpointsTab),
  sql: lazy(async () => (await import("./tabs/sql/sql-tab.js")).SqlTab),
};

/** The whole page. */
export function App() {
  const signedOut = sessionProblem.value !== undefined;
  const lake = useResource<LakeAnswer>("lake", signedOut ? undefined : {});
  // Something may be installed while the page is open: what it says of the lake is that of the answers beside it.
  const state = lakeState.value;
  const known = useRef(state);
  useEffect(() => {
    if (known.current !== undefined && known.current !== state) lake.again();
    known.current = state;
  }, [state]);
  const { tab } = place.value;
  const title = tab === undefined ? "Not found" : TITLES[tab];
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useEffect(() => {
    document.title = `${title} · Mirrorlake`;
    // A screen reader continues at the new view, not in the navigation.
    if (!first.current) main.current?.focus();
    first.current = false;
  }, [title, signedOut]);
  if (signedOut) return <SignIn />;
  const View = tab === undefined ? undefined : VIEWS[tab];
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place in the page, whose address stays the view's */}
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <Header lake={lake.data} titles={TITLES} />
      <main id="main" ref={main} tabIndex={-1}>
        <h1 class="title">{title}</h1>
        {lake.failure && <Failure failure={lake.failure} again={lake.again} />}
        {!lake.data && lake.loading && <Loading what="the lake" />}
        {View === undefined && <p>There is no such view. Choose one above.</p>}
        {lake.data && View && <View key={tab} lake={lake.data} refresh={lake.again} />}
      </main>
    </>
  );
}
