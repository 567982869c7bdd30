import { scaleLinear } from "d3-scale";
import { useState } from "preact/hooks";
import type { MapPoint } from "../../console/answers.js";
import { DataTable } from "../parts/data-table.js";
import { useWidth } from "./use-width.js";

/** Room for the names of the axes. */
const LEFT = 30;
const BOTTOM = 32;

const COLORS = ["c1", "c2", "c3", "c4", "c5", "c6"];

/** The groups that get a colour, most frequent first. */
export function groupsOf(points: readonly MapPoint[], by: "src" | "platform" | "lang"): readonly string[] {
  const counts = new Map<string, number>();
  for (const point of points) counts.set(point[by], (counts.get(point[by]) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

/** The points for who cannot point at them. They are many, so they are there once it is opened. */
function PointTable({ points, label }: { readonly points: readonly MapPoint[]; readonly label: string }) {
  const [open, setOpen] = useState(false);
  const place = (value: number) => value.toFixed(3);
  return (
    <details class="numbers-of" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {open && (
        <DataTable
          label={`${label}, as a table`}
          className="scroll tall"
          rows={points}
          keyOf={({ id }) => id}
          columns={[
            { title: "Record", head: true, cell: ({ label: text }) => <span dir="auto">{text}</span> },
            { title: "Platform", cell: ({ platform }) => platform },
            { title: "Language", cell: ({ lang }) => lang },
            { title: "First", number: true, cell: ({ x }) => place(x) },
            { title: "Second", number: true, cell: ({ y }) => place(y) },
          ]}
        />
      )}
    </details>
  );
}

/** Records as dots; the one under the pointer says what it is. */
export function ScatterMap(props: {
  readonly points: readonly MapPoint[];
  readonly by: "src" | "platform" | "lang";
  readonly label: string;
  /** What the axes are. */
  readonly axes: readonly [across: string, up: string];
}) {
  const { points, by, label, axes } = props;
  const [box, width] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<MapPoint>();
  const groups = groupsOf(points, by);
  const colorOf = (name: string) => COLORS[groups.indexOf(name)] ?? "other";
  const height = Math.round(Math.min(520, Math.max(260, width * 0.6)));
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const x = scaleLinear([Math.min(...xs), Math.max(...xs)], [LEFT, width - 10]);
  const y = scaleLinear([Math.min(...ys), Math.max(...ys)], [height - BOTTOM, 10]);
  return (
    <figure class="chart">
      <ul class="legend">
        {groups.slice(0, COLORS.length).map((name) => (
          <li key={name}>
            <span class={`swatch fill-${colorOf(name)}`} /> {name}
          </li>
        ))}
        {groups.length > COLORS.length && (
          <li>
            <span class="swatch fill-other" /> others
          </li>
        )}
      </ul>
      <div ref={box} class="map-box">
        {width > 0 && (
          <svg
            width={width}
            height={height}
            role="img"
            aria-label={label}
            onPointerMove={(event) => {
              const id = (event.target as SVGElement).dataset?.id;
              setAt(id === undefined ? undefined : points[Number(id)]);
            }}
            onPointerLeave={() => setAt(undefined)}
          >
            <line
              class="grid-line"
              x1={LEFT - 8}
              x2={width}
              y1={height - BOTTOM + 8}
              y2={height - BOTTOM + 8}
            />
            <line class="grid-line" x1={LEFT - 8} x2={LEFT - 8} y1={0} y2={height - BOTTOM + 8} />
            <text class="tick" x={(LEFT + width) / 2} y={height - 6} text-anchor="middle">
              {axes[0]}
            </text>
            <text
              class="tick"
              transform={`translate(12 ${(height - BOTTOM) / 2}) rotate(-90)`}
              text-anchor="middle"
            >
              {axes[1]}
            </text>
            {points.map((point, index) => (
              <circle
                key={point.id}
                data-id={index}
                class={`dot fill-${colorOf(point[by])}`}
                cx={x(point.x)}
                cy={y(point.y)}
                r="3"
              />
            ))}
          </svg>
        )}
      </div>
      <figcaption class="map-caption">
        {at ? (
          <>
            <strong dir="auto">{at.label}</strong>{" "}
            <span class="muted">
              {at.platform} · {at.lang}
            </span>
          </>
        ) : (
          <span class="muted">Point at a record to see what it is.</span>
        )}
      </figcaption>
      <PointTable points={points} label={label} />
    </figure>
  );
}
