import type { SliceAnswer, SlicesAnswer } from "../../../console/answers.js";
import type { TabProps } from "../../app.js";
import { bytes, count, counted, day } from "../../format.js";
import { type Column, DataTable } from "../../parts/data-table.js";
import { Pager } from "../../parts/pager.js";
import { Empty, Failure, Loading } from "../../parts/states.js";
import { useResource } from "../../resource.js";
import { change, place } from "../../router.js";

const LIMIT = 50;

const COLUMNS: readonly Column<SliceAnswer>[] = [
  {
    title: "Slice",
    head: true,
    cell: ({ title, platform, root, revision, withheld }) => (
      <>
        {title}
        <br />
        <span class="muted">
          {platform} · <code title={root}>{root.slice(0, 12)}</code>
          {revision > 1 && ` · edition ${revision}`}
        </span>
        {withheld > 0 && <div class="bad-text">{counted(withheld, "removed item")}: withheld</div>}
      </>
    ),
  },
  {
    title: "Captured",
    className: "nowrap",
    cell: ({ first, last }) => (
      <>
        {day(first)} to
        <br />
        {day(last)}
      </>
    ),
  },
  { title: "Language", cell: ({ lang }) => lang },
  { title: "Records", number: true, cell: ({ records }) => count(records) },
  { title: "Raw items", number: true, cell: ({ raw }) => count(raw) },
  {
    title: "Vectors",
    number: true,
    cell: ({ vectors, model }) => (
      <>
        {count(vectors)}
        {model !== null && <div class="muted">{model}</div>}
      </>
    ),
  },
  { title: "Size", number: true, cell: ({ bytes: size }) => bytes(size) },
  { title: "Licence", cell: ({ licence }) => licence },
];

/** The slices of the lake, page by page. */
export function Slices({ lake }: TabProps) {
  const { platform, lang, offset = "0" } = place.value.params;
  const { data, failure, loading, again } = useResource<SlicesAnswer>("slices", {
    platform,
    lang,
    offset,
    limit: LIMIT,
  });
  return (
    <>
      <div class="field-row">
        <label class="field">
          <span>Platform</span>
          <select
            value={platform ?? ""}
            onChange={(event) =>
              change({ platform: event.currentTarget.value || undefined, offset: undefined })
            }
          >
            <option value="">all</option>
            {platform !== undefined && lake.platforms.every(({ slug }) => slug !== platform) && (
              <option>{platform}</option>
            )}
            {lake.platforms
              .filter(({ records }) => records > 0)
              .map(({ slug, name }) => (
                <option key={slug} value={slug}>
                  {name}
                </option>
              ))}
          </select>
        </label>
        <label class="field">
          <span>Language</span>
          <select
            value={lang ?? ""}
            onChange={(event) => change({ lang: event.currentTarget.value || undefined, offset: undefined })}
          >
            <option value="">all</option>
            {lake.languages.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      </div>
      {failure && <Failure failure={failure} again={again} />}
      {!data && loading && <Loading what="the slices" />}
      {data?.total === 0 && <Empty title="No slice fits" />}
      {data && data.total > 0 && (
        <>
          <p role="status" class="muted">
            {counted(data.total, "slice")}
          </p>
          <DataTable
            label="Slices"
            className="scroll panel"
            rows={data.items}
            keyOf={({ root }) => root}
            columns={COLUMNS}
          />
          <Pager limit={LIMIT} total={data.total} />
        </>
      )}
    </>
  );
}
