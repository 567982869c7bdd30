import type { SlicesAnswer } from "../../../console/answers.js";
import type { TabProps } from "../../app.js";
import { bytes, count, counted, day } from "../../format.js";
import { Pager } from "../../parts/pager.js";
import { ScrollBox } from "../../parts/scroll-box.js";
import { Empty, Failure, Loading } from "../../parts/states.js";
import { useResource } from "../../resource.js";
import { change, place } from "../../router.js";

const LIMIT = 50;

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
      {data?.items.length === 0 && <Empty title="No slice fits" />}
      {data && data.items.length > 0 && (
        <>
          <p role="status" class="muted">
            {counted(data.total, "slice")}
          </p>
          <ScrollBox label="Slices" className="scroll panel">
            <table>
              <thead>
                <tr>
                  <th scope="col">Slice</th>
                  <th scope="col">Captured</th>
                  <th scope="col">Language</th>
                  <th scope="col" class="number">
                    Records
                  </th>
                  <th scope="col" class="number">
                    Raw items
                  </th>
                  <th scope="col" class="number">
                    Vectors
                  </th>
                  <th scope="col" class="number">
                    Size
                  </th>
                  <th scope="col">Licence</th>
                </tr>
              </thead>
              <tbody>
                {data.items.map((slice) => (
                  <tr key={slice.root}>
                    <th scope="row">
                      {slice.title}
                      <br />
                      <span class="muted">
                        {slice.platform} · <code title={slice.root}>{slice.root.slice(0, 12)}</code>
                        {slice.revision > 1 && ` · edition ${slice.revision}`}
                      </span>
                      {slice.withheld > 0 && (
                        <div class="bad-text">{counted(slice.withheld, "removed item")}: withheld</div>
                      )}
                    </th>
                    <td class="nowrap">
                      {day(slice.first)} to
                      <br />
                      {day(slice.last)}
                    </td>
                    <td>{slice.lang}</td>
                    <td class="number">{count(slice.records)}</td>
                    <td class="number">{count(slice.raw)}</td>
                    <td class="number">
                      {count(slice.vectors)}
                      {slice.model !== null && <div class="muted">{slice.model}</div>}
                    </td>
                    <td class="number">{bytes(slice.bytes)}</td>
                    <td>{slice.licence}</td>
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
        </>
      )}
    </>
  );
}
