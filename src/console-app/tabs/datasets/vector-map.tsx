import type { MapAnswer } from "../../../console/answers.js";
import { groupsOf, ScatterMap } from "../../charts/scatter-map.js";
import { count, percent } from "../../format.js";
import { Empty, Failure, Loading } from "../../parts/states.js";
import { Toggles } from "../../parts/toggles.js";
import { useResource } from "../../resource.js";
import { change, place } from "../../router.js";

type By = "src" | "platform" | "lang";

/** The map of the vectors, which the server computes. */
export function VectorMap() {
  const { data, failure, loading, again } = useResource<MapAnswer | null>("map", {});
  const by = (place.value.params.by ?? "platform") as By;
  if (failure) return <Failure failure={failure} again={again} />;
  if (loading) return <Loading what="the map: the server computes it once" />;
  if (!data || data.points.length === 0) return <Empty title="No record has a vector" />;
  const groups = groupsOf(data.points, by);
  const label = `Map of ${count(data.points.length)} records by their vectors, of ${groups.length} groups: ${groups.slice(0, 6).join(", ")}`;
  return (
    <section class="panel" aria-label="Map">
      <div class="row spread">
        <p class="muted">
          {count(data.points.length)} of {count(data.of)} records with vectors of <code>{data.model}</code>.
          The two axes show {percent(data.explained[0] + data.explained[1])} of the variance: near is likely
          alike, far may mean little.
        </p>
        <Toggles
          label="Colours"
          value={by}
          onChange={(value) => change({ by: value })}
          options={[
            ["src", "Domain"],
            ["platform", "Platform"],
            ["lang", "Language"],
          ]}
        />
      </div>
      <ScatterMap
        points={data.points}
        by={by}
        label={label}
        axes={[
          `first component, ${percent(data.explained[0])} of the variance`,
          `second component, ${percent(data.explained[1])}`,
        ]}
      />
    </section>
  );
}
