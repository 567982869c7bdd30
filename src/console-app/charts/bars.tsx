import { count } from "../format.js";

/** A bar: a name, its value, and what is written of it. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly text?: string;
  /** One of the colours `c1` … `c6`, or a domain. */
  readonly color?: string;
}

/** Bars of categories, as a list that reads well without them. */
export function Bars({ bars, label }: { readonly bars: readonly Bar[]; readonly label: string }) {
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  return (
    <ul class="bars" aria-label={label}>
      {bars.map(({ name, value, text, color = "c1" }) => (
        <li key={name}>
          <span class="bar-name">
            {name.split(/(?<=[._-])/).map((part, at) => [at > 0 && <wbr key={at} />, part])}
          </span>
          <span class="bar-track" aria-hidden="true">
            <span
              class={`bar-fill fill-${color}`}
              style={{ width: `${Math.max(0.5, (value / most) * 100)}%` }}
            />
          </span>
          <span class="bar-value">{text ?? count(value)}</span>
        </li>
      ))}
    </ul>
  );
}
