import { scaleLinear } from "d3-scale";
import { stack } from "d3-shape";
import { count, tick } from "../format.js";
import { DataTable } from "../parts/data-table.js";
import { useWidth } from "./use-width.js";
import { ValueGrid } from "./value-grid.js";

const HEIGHT = 210;
const LEFT = 46;
const BOTTOM = 22;
const TOP = 8;

/** A unit of time with a value for each part. */
export interface TimeBar {
  readonly time: string;
  readonly values: Readonly<Record<string, number>>;
}

/** Stacked bars over units of time, with the numbers as a table for who cannot see them. */
export function TimeBars(props: {
  readonly label: string;
  readonly bars: readonly TimeBar[];
  readonly parts: readonly { readonly name: string; readonly color: string }[];
}) {
  const { bars, parts, label } = props;
  const [box, width] = useWidth<HTMLDivElement>();
  const layers = stack<TimeBar, string>()
    .keys(parts.map(({ name }) => name))
    .value(({ values }, name) => values[name] ?? 0)([...bars]);
  const most = Math.max(1, ...(layers.at(-1) ?? []).map(([, end]) => end));
  const y = scaleLinear([0, most], [HEIGHT - BOTTOM, TOP]).nice(4);
  const step = Math.max(0, width - LEFT) / Math.max(1, bars.length);
  const bar = Math.max(1, Math.min(36, step * 0.82));
  const everyLabel = Math.max(1, Math.ceil(bars.length / Math.max(1, Math.floor((width - LEFT) / 90))));
  const x = (at: number) => LEFT + at * step + (step - bar) / 2;
  return (
    <figure class="chart">
      {parts.length > 1 && (
        <ul class="legend">
          {parts.map(({ name, color }) => (
            <li key={name}>
              <span class={`swatch fill-${color}`} /> {name}
            </li>
          ))}
        </ul>
      )}
      <div ref={box}>
        {width > 0 && (
          <svg width={width} height={HEIGHT} role="img" aria-label={label}>
            <ValueGrid y={y} left={LEFT} width={width} format={tick} />
            {layers.map((layer, part) =>
              layer.map(([from, to], at) =>
                to > from ? (
                  <rect
                    key={bars[at]!.time}
                    class={`fill-${parts[part]!.color}`}
                    x={x(at)}
                    width={bar}
                    y={y(to)}
                    height={Math.max(0.5, y(from) - y(to))}
                  >
                    <title>{`${bars[at]!.time}: ${parts[part]!.name} ${count(to - from)}`}</title>
                  </rect>
                ) : null,
              ),
            )}
            {bars.map(({ time }, at) =>
              at % everyLabel === 0 ? (
                <text
                  key={time}
                  class="tick"
                  x={Math.min(width - 34, Math.max(LEFT + 30, x(at) + bar / 2))}
                  y={HEIGHT - 6}
                  text-anchor="middle"
                >
                  {time}
                </text>
              ) : null,
            )}
          </svg>
        )}
      </div>
      <details class="numbers-of">
        <summary>As a table</summary>
        <DataTable
          label={`${label}, as a table`}
          className="scroll tall"
          rows={bars}
          keyOf={({ time }) => time}
          columns={[
            { title: "Time", head: true, cell: ({ time }) => time },
            ...parts.map(({ name }) => ({
              title: name,
              number: true,
              cell: ({ values }: TimeBar) => count(values[name] ?? 0),
            })),
          ]}
        />
      </details>
    </figure>
  );
}
