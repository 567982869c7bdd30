import type { ScaleLinear } from "d3-scale";

/** The lines of a chart's values with their numbers, left of `left`. */
export function ValueGrid(props: {
  readonly y: ScaleLinear<number, number>;
  readonly left: number;
  readonly width: number;
  readonly format: (value: number) => string;
}) {
  const { y, left, width, format } = props;
  return (
    <>
      {y.ticks(4).map((tick) => (
        <g key={tick}>
          <line class="grid-line" x1={left} x2={width} y1={y(tick)} y2={y(tick)} />
          <text class="tick" x={left - 6} y={y(tick) + 4} text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
    </>
  );
}
