import type { StatisticsAnswer } from "../../../console/answers.js";
import type { TabProps } from "../../app.js";
import { Bars } from "../../charts/bars.js";
import { type TimeBar, TimeBars } from "../../charts/time-bars.js";
import { count, day, percent } from "../../format.js";
import { DataTable } from "../../parts/data-table.js";
import { Empty, Failure, Loading } from "../../parts/states.js";
import { useResource } from "../../resource.js";

const DOMAINS = [
  { name: "social", color: "social" },
  { name: "ecommerce", color: "ecommerce" },
  { name: "web", color: "web" },
] as const;

/** Most bars of the chart of days; with more days, months are shown. */
const MOST_DAYS = 120;

/** Counts of the lake as charts. */
export function Overview({ lake }: TabProps) {
  const { data, failure, loading, again } = useResource<StatisticsAnswer>("statistics", {});
  return (
    <>
      <dl class="tiles">
        <div class="tile">
          <dt>Records</dt>
          <dd>{count(lake.records)}</dd>
        </div>
        <div class="tile">
          <dt>Slices</dt>
          <dd>{count(lake.slices)}</dd>
        </div>
        <div class="tile">
          <dt>Languages</dt>
          <dd>{data ? count(data.langs.length) : "…"}</dd>
        </div>
        <div class="tile">
          <dt>Newest capture</dt>
          <dd>{day(lake.newest)}</dd>
        </div>
        <div class="tile">
          <dt>Generation</dt>
          <dd>{lake.generation}</dd>
        </div>
      </dl>
      {failure && <Failure failure={failure} again={again} />}
      {!data && loading && <Loading what="the counts" />}
      {data && data.platforms.length === 0 && <Empty title="The lake has no record yet" />}
      {data && data.platforms.length > 0 && (
        <div class="panels">
          <section class="panel wide" aria-label="Volume">
            <h2>Records by {byMonth(data.days) ? "month" : "day"} of capture</h2>
            <TimeBars
              label="Records by time of capture and domain"
              parts={DOMAINS}
              bars={timeBars(data.days)}
            />
          </section>
          <section class="panel" aria-label="Platforms">
            <h2>Platforms</h2>
            <Bars
              label="Records by platform"
              bars={data.platforms.map(({ value, src, count: n }) => ({ name: value, value: n, color: src }))}
            />
          </section>
          <section class="panel" aria-label="Languages">
            <h2>Languages</h2>
            <Bars
              label="Records by language"
              bars={data.langs.slice(0, 16).map(({ value, count: n }) => ({ name: value, value: n }))}
            />
            {data.langs.length > 16 && <p class="muted">and {data.langs.length - 16} more</p>}
          </section>
          <section class="panel wide" aria-label="Coverage">
            <h2>Coverage of fields</h2>
            <Coverage fields={data.fields} />
          </section>
        </div>
      )}
    </>
  );
}

function byMonth(days: StatisticsAnswer["days"]): boolean {
  return new Set(days.map(({ day: date }) => date)).size > MOST_DAYS;
}

function timeBars(days: StatisticsAnswer["days"]): readonly TimeBar[] {
  const length = byMonth(days) ? 7 : 10;
  const bars = new Map<string, Record<string, number>>();
  for (const { day: date, src, count: n } of days) {
    const time = date.slice(0, length);
    const values = bars.get(time) ?? {};
    values[src] = (values[src] ?? 0) + n;
    bars.set(time, values);
  }
  return [...bars].map(([time, values]) => ({ time, values }));
}

function Coverage({ fields }: Pick<StatisticsAnswer, "fields">) {
  const share = (value: number | undefined, color: string) =>
    value !== undefined && (
      <span class="share">
        <span class="bar-track" aria-hidden="true">
          <span class={`bar-fill fill-${color}`} style={{ width: `${value * 100}%` }} />
        </span>
        <span class="bar-value">{percent(value)}</span>
      </span>
    );
  return (
    <DataTable
      label="Coverage of fields by domain"
      tableClass="coverage"
      rows={fields}
      keyOf={({ name }) => name}
      columns={[
        { title: "Field", head: true, cell: ({ name }) => <code>{name}</code> },
        ...DOMAINS.map(({ name, color }) => ({
          title: name,
          cell: ({ shares }: StatisticsAnswer["fields"][number]) => share(shares[name], color),
        })),
      ]}
    />
  );
}
