import { useState } from "preact/hooks";
import type { CountAnswer } from "../../console/answers.js";
import { count as whole } from "../format.js";

/** Values that are shown before "more". */
const SHOWN = 8;

/** A group of check boxes with the number of records behind each; any number may be chosen. */
export function Choices(props: {
  readonly legend: string;
  readonly options: readonly CountAnswer[];
  readonly chosen: readonly string[];
  readonly nameOf?: (value: string) => string;
  readonly onChange: (chosen: readonly string[]) => void;
}) {
  const { legend, options, chosen, nameOf = (value) => value, onChange } = props;
  const missing = chosen.filter((value) => options.every((option) => option.value !== value));
  const all = [...options, ...missing.map((value) => ({ value, count: 0 }))];
  const box = ({ value, count }: CountAnswer) => (
    <label class="choice" key={value}>
      <input
        type="checkbox"
        checked={chosen.includes(value)}
        onChange={(event) =>
          onChange(event.currentTarget.checked ? [...chosen, value] : chosen.filter((each) => each !== value))
        }
      />
      <span class="choice-name">{nameOf(value)}</span>
      <span class="choice-count">{whole(count)}</span>
    </label>
  );
  const [opened, setOpened] = useState(false);
  const chosenBelow = all.slice(SHOWN).some(({ value }) => chosen.includes(value));
  if (all.length === 0) return null;
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {all.slice(0, SHOWN).map(box)}
      {all.length > SHOWN && (
        <details open={opened || chosenBelow} onToggle={(event) => setOpened(event.currentTarget.open)}>
          <summary>{all.length - SHOWN} more</summary>
          {all.slice(SHOWN).map(box)}
        </details>
      )}
    </fieldset>
  );
}
