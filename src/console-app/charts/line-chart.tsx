import { scaleLinear, scaleUtc } from "d3-scale";
import { curveStepAfter, line } from "d3-shape";
import { day, price } from "../format.js";
import { useWidth } from "./use-width.js";
import { ValueGrid } from "./value-grid.js";

const HEIGHT = 230;
const LEFT = 56;
const BOTTOM = 24;
const TOP = 8;

/** Lines that are drawn; further ones are counted. */
const LINES = 6;

/** A series of numbers over time. */
export interface Series {
  readonly name: string;
  readonly points: readonly { readonly ts: string; readonly value: number }[];
}

/** Prices over time: a price holds until the next one. */
export function LineChart({ series, label }: { readonly series: readonly Series[]; readonly label: string }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const drawn = series.slice(0, LINES);
  const points = drawn.flatMap((each) => each.points);
  const times = points.map(({ ts }) => Date.parse(ts));
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const pad = high === low ? Math.max(1, Math.abs(high) * 0.1) : (high - low) * 0.08;
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const x = scaleUtc([from, to === from ? from + 1 : to], [LEFT, Math.max(LEFT + 1, width - 12)]);
  const y = scaleLinear([Math.max(0, low - pad), high + pad], [HEIGHT - BOTTOM, TOP]).nice(4);
  const path = line<Series["points"][number]>()
    .x(({ ts }) => x(Date.parse(ts)))
    .y(({ value }) => y(value))
    .curve(curveStepAfter);
  return (
    <figure class="chart">
      <ul class="legend">
        {drawn.map(({ name }, at) => (
          <li key={name}>
            <span class={`swatch fill-c${at + 1}`} /> {name}
          </li>
        ))}
        {series.length > LINES && <li class="muted">and {series.length - LINES} more</li>}
      </ul>
      <div ref={box}>
        {width > 0 && (
          <svg width={width} height={HEIGHT} role="img" aria-label={label}>
            <ValueGrid y={y} left={LEFT} width={width} format={y.tickFormat(4)} />
            {oneADay(x.ticks(Math.max(2, Math.floor(width / 130)))).map((tick) => (
              <text key={+tick} class="tick" x={x(tick)} y={HEIGHT - 6} text-anchor="middle">
                {day(tick.toISOString())}
              </text>
            ))}
            {drawn.map(({ name, points: own }, at) => (
              <g key={name}>
                <path class={`line stroke-c${at + 1}`} d={path([...own]) ?? ""} />
                {own.length <= 60 &&
                  own.map(({ ts, value }) => (
                    <circle key={ts} class={`fill-c${at + 1}`} r="2.5" cx={x(Date.parse(ts))} cy={y(value)}>
                      <title>{`${day(ts)}: ${price(value)}`}</title>
                    </circle>
                  ))}
              </g>
            ))}
          </svg>
        )}
      </div>
    </figure>
  );
}

/** The first tick of each day: more would have the same name. */
function oneADay(ticks: readonly Date[]): readonly Date[] {
  const names = ticks.map((tick) => day(tick.toISOString()));
  return ticks.filter((_, at) => names[at] !== names[at - 1]);
}
