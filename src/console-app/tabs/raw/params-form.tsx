import type { EndpointFormAnswer } from "../../../console/answers.js";
import type { Params } from "../../router.js";
import { useDraft } from "../../use-draft.js";

/** The parts of a JSON Schema that a field shows. */
interface Field {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A form made of the schema of the parameters: a field each, required ones first. */
export function ParamsForm(props: {
  readonly form: EndpointFormAnswer;
  readonly values: Params;
  readonly onSubmit: (values: Params) => void;
}) {
  const { form, onSubmit } = props;
  // Back and forward go to another call: the form is that of the answer beside it.
  const [values, setValues] = useDraft<Params>(props.values);
  const schema = form.params as unknown as {
    readonly properties?: Readonly<Record<string, Field>>;
    readonly required?: readonly string[];
  };
  const required = schema.required ?? [];
  const names = Object.keys(schema.properties ?? {}).sort(
    (a, b) => Number(required.includes(b)) - Number(required.includes(a)),
  );
  // A cursor belongs to the list of one thing.
  const set = (changes: Params) =>
    setValues((before) => {
      const another = required.some((name) => name in changes && changes[name] !== before[name]);
      return { ...before, cursor: another ? "" : (before.cursor ?? ""), ...changes };
    });
  return (
    <form
      class="params"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")));
      }}
    >
      {names.map((name) => {
        const samples = form.samples[name] ?? [];
        return (
          <div key={name} class="param">
            <ParamField
              name={name}
              field={schema.properties![name]!}
              required={required.includes(name)}
              value={values[name] ?? ""}
              onChange={(value) => set({ [name]: value })}
            />
            {samples.length > 0 && (
              <label class="field">
                <span>In this lake</span>
                <select
                  value={samples.some(({ value }) => value === values[name]) ? values[name] : ""}
                  onChange={(event) => {
                    const taken = samples.find(({ value }) => value === event.currentTarget.value);
                    if (taken) set({ [name]: taken.value, ...taken.with });
                  }}
                >
                  <option value="">Take an id …</option>
                  {samples.map(({ value, label }) => (
                    <option key={value} value={value}>
                      {label}
                    </option>
                  ))}
                </select>
              </label>
            )}
          </div>
        );
      })}
      <button class="primary" type="submit">
        Send the call
      </button>
    </form>
  );
}

function ParamField(props: {
  readonly name: string;
  readonly field: Field;
  readonly required: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { name, field, required, value, onChange } = props;
  const number = field.type === "integer" || field.type === "number";
  const options = field.enum ?? (field.type === "boolean" ? ["true", "false"] : undefined);
  const unset = field.default === undefined ? "" : String(field.default);
  const id = `param-${name}`;
  const common = { id, required, placeholder: unset, value };
  return (
    <div class="field">
      <label for={id}>
        {name}
        {required ? " (required)" : ""}
      </label>
      {options ? (
        <select
          id={id}
          value={value}
          required={required}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          <option value="">{unset === "" ? "any" : `default: ${unset}`}</option>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : number ? (
        <input
          {...common}
          type="number"
          min={field.minimum}
          max={field.maximum}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <input {...common} onInput={(event) => onChange(event.currentTarget.value)} />
      )}
      {field.description !== undefined && <small class="hint">{field.description}</small>}
    </div>
  );
}
