import { useState } from "preact/hooks";
import { LineChart } from "../../charts/line-chart.js";
import { TimeBars } from "../../charts/time-bars.js";
import { count, counted, day, price } from "../../format.js";
import { Button } from "../../parts/button.js";
import { CopyButton } from "../../parts/copy-button.js";
import { DataTable } from "../../parts/data-table.js";
import { CodeBox } from "../../parts/scroll-box.js";
import { Toggles } from "../../parts/toggles.js";
import { Tree } from "../../parts/tree.js";
import type { Params } from "../../router.js";
import { CommentList, isComment } from "./comment-list.js";

/** Longest JSON that is shown, characters. */
const JSON_LENGTH = 400_000;

interface Page {
  readonly items: readonly unknown[];
  readonly cursor: number;
  readonly has_more: boolean;
  readonly total: number;
}

interface PricePath {
  readonly series: readonly {
    readonly location: string | null;
    readonly currency: string;
    readonly points: readonly { readonly ts: string; readonly current: number }[];
    readonly low: number;
    readonly high: number;
    readonly change_pct: number | null;
  }[];
}

interface Trend {
  readonly unit: string;
  readonly buckets: readonly { readonly start: string; readonly count: number }[];
}

const has = <T,>(data: unknown, name: string): data is T =>
  typeof data === "object" && data !== null && Array.isArray((data as Record<string, unknown>)[name]);

/** An answer: what it is a picture of, as a tree, and as JSON. */
export function AnswerView(props: {
  readonly data: unknown;
  readonly params: Params;
  readonly replies?: string | undefined;
  readonly onPage: (cursor: number) => void;
}) {
  const { data, params, replies, onPage } = props;
  const page = has<Page>(data, "items") ? data : undefined;
  const comments = page?.items.every(isComment) ? page.items.filter(isComment) : undefined;
  const picture =
    comments && comments.length > 0 ? (
      <CommentList comments={comments} params={params} replies={replies} />
    ) : has<PricePath>(data, "series") ? (
      <Prices {...data} />
    ) : has<Trend>(data, "buckets") ? (
      <TimeBars
        label={`Items by ${data.unit}`}
        parts={[{ name: "items", color: "c1" }]}
        bars={data.buckets.map(({ start, count: items }) => ({
          time: data.unit === "hour" ? start.slice(0, 13).replace("T", " ") : day(start),
          values: { items },
        }))}
      />
    ) : undefined;
  const [form, setForm] = useState<"picture" | "tree" | "json">(picture ? "picture" : "tree");
  const shown = picture === undefined && form === "picture" ? "tree" : form;
  const text = shown === "json" ? JSON.stringify(data, null, 2) : "";
  return (
    <div class="panel">
      <div class="row spread">
        <Toggles
          label="Form of the answer"
          value={shown}
          onChange={setForm}
          options={[
            ...(picture ? [["picture", comments ? "Comments" : "Chart"] as const] : []),
            ["tree", "Tree"],
            ["json", "JSON"],
          ]}
        />
        <CopyButton text={JSON.stringify(data, null, 2)} label="Copy as JSON" />
      </div>
      {page && <p class="muted">{counted(page.total, "item")} in all</p>}
      {shown === "picture" && picture}
      {shown === "tree" && <Tree value={data} />}
      {shown === "json" && <CodeBox text={text.slice(0, JSON_LENGTH)} label="The answer as JSON" />}
      {page && (page.has_more || Number(params.cursor ?? 0) > 0) && (
        <nav class="pager" aria-label="Pages">
          <Button off={Number(params.cursor ?? 0) === 0} onClick={() => onPage(0)}>
            First page
          </Button>
          <Button off={!page.has_more} onClick={() => onPage(page.cursor)}>
            Next page
          </Button>
          <span class="muted">up to item {page.cursor}</span>
        </nav>
      )}
    </div>
  );
}

function Prices({ series }: PricePath) {
  const name = ({ location, currency }: PricePath["series"][number]) =>
    location === null ? currency : `${location} (${currency})`;
  return (
    <>
      <LineChart
        label="Price over time"
        series={series.map((each) => ({
          name: name(each),
          points: each.points.map(({ ts, current }) => ({ ts, value: current })),
        }))}
      />
      <DataTable
        label="Prices by series"
        rows={series}
        keyOf={name}
        columns={[
          { title: "Series", head: true, cell: name },
          { title: "Points", number: true, cell: ({ points }) => count(points.length) },
          { title: "Low", number: true, cell: ({ low }) => price(low) },
          { title: "High", number: true, cell: ({ high }) => price(high) },
          {
            title: "Change",
            number: true,
            cell: ({ change_pct }) => (change_pct === null ? "–" : `${change_pct} %`),
          },
        ]}
      />
    </>
  );
}
