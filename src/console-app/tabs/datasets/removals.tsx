import type { RemovalsAnswer } from "../../../console/answers.js";
import { count, instant } from "../../format.js";
import { DataTable } from "../../parts/data-table.js";
import { Pager } from "../../parts/pager.js";
import { Empty, Failure, Loading } from "../../parts/states.js";
import { useResource } from "../../resource.js";
import { place } from "../../router.js";

const LIMIT = 50;

/** What was removed from the lake, newest first. */
export function Removals() {
  const { offset = "0" } = place.value.params;
  const { data, failure, loading, again } = useResource<RemovalsAnswer>("removals", { offset, limit: LIMIT });
  if (failure) return <Failure failure={failure} again={again} />;
  if (!data) return loading ? <Loading what="the tombstones" /> : null;
  if (data.total === 0)
    return (
      <Empty title="Nothing was removed">
        <p>
          A takedown is a command: <code>mirrorlake remove</code>. It hides at once, in every edition.
        </p>
      </Empty>
    );
  return (
    <section class="panel" aria-label="Tombstones">
      <p role="status">
        {count(data.total)} tombstones, {count(data.derived)} of them follow from others.
      </p>
      <DataTable
        label="Tombstones"
        rows={data.items}
        keyOf={({ kind, target }) => `${kind} ${target}`}
        columns={[
          {
            title: "Kind",
            cell: ({ kind, derived }) => (
              <>
                {kind}
                {derived && <div class="muted">follows</div>}
              </>
            ),
          },
          { title: "Target", cell: ({ target }) => <code>{target}</code> },
          { title: "When (UTC)", className: "nowrap", cell: ({ at }) => instant(at) },
          { title: "Reason", cell: ({ reason }) => reason },
        ]}
      />
      <Pager limit={LIMIT} total={data.total} />
    </section>
  );
}
