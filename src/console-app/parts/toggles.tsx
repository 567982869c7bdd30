/** A row of buttons of which one is pressed. */
export function Toggles<Value extends string>(props: {
  readonly label: string;
  readonly options: readonly (readonly [value: Value, name: string])[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}) {
  return (
    <fieldset class="toggles">
      <legend class="hidden">{props.label}</legend>
      {props.options.map(([value, name]) => (
        <button
          key={value}
          type="button"
          class="toggle"
          aria-pressed={props.value === value}
          onClick={() => props.onChange(value)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
