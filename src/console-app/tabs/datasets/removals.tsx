import type { RemovalsAnswer } from "../../../console/answers.js";
import { count, instant } from "../../format.js";
import { Pager } from "../../parts/pager.js";
import { ScrollBox } from "../../parts/scroll-box.js";
import { Empty, Failure, Loading } from "../../parts/states.js";
import { useResource } from "../../resource.js";
import { change, place } from "../../router.js";

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
      <ScrollBox label="Tombstones">
        <table>
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col">Target</th>
              <th scope="col">When (UTC)</th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((item) => (
              <tr key={`${item.kind} ${item.target}`}>
                <td>
                  {item.kind}
                  {item.derived && <div class="muted">follows</div>}
                </td>
                <td>
                  <code>{item.target}</code>
                </td>
                <td class="nowrap">{instant(item.at)}</td>
                <td>{item.reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <Pager
        offset={Number(offset)}
        limit={LIMIT}
        total={data.total}
        onChange={(to) => change({ offset: String(to) })}
      />
    </section>
  );
}
