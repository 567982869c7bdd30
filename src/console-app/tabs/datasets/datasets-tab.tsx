import type { TabProps } from "../../app.js";
import { useCurrentShown } from "../../parts/current-shown.js";
import { PlaceLink } from "../../parts/place-link.js";
import { place } from "../../router.js";
import { Jobs } from "./jobs.js";
import { Overview } from "./overview.js";
import { Removals } from "./removals.js";
import { Slices } from "./slices.js";
import { VectorMap } from "./vector-map.js";

const VIEWS = [
  ["overview", "Overview"],
  ["slices", "Slices"],
  ["map", "Map of the vectors"],
  ["keep", "Pull and check"],
  ["removals", "Tombstones"],
] as const;

/** What the lake is made of, and its upkeep. */
export function DatasetsTab(props: TabProps) {
  const asked = place.value.params.view;
  const view = VIEWS.find(([name]) => name === asked)?.[0] ?? "overview";
  const nav = useCurrentShown<HTMLElement>(view);
  return (
    <>
      <nav class="subnav" aria-label="Views of the datasets" ref={nav}>
        <ul>
          {VIEWS.map(([name, title]) => (
            <li key={name}>
              <PlaceLink
                tab="datasets"
                params={{ view: name === "overview" ? undefined : name }}
                current={view === name}
              >
                {title}
              </PlaceLink>
            </li>
          ))}
        </ul>
      </nav>
      {view === "overview" && <Overview {...props} />}
      {view === "slices" && <Slices {...props} />}
      {view === "map" && <VectorMap />}
      {view === "keep" && <Jobs {...props} />}
      {view === "removals" && <Removals />}
    </>
  );
}
