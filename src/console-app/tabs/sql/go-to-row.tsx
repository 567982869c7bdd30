import { useState } from "preact/hooks";

/** Asks for the number of a row and goes there. */
export function GoToRow({ rows, goTo }: { readonly rows: number; readonly goTo: (row: number) => void }) {
  const [text, setText] = useState("");
  return (
    <form
      class="row go-to-row"
      aria-label="Go to a row"
      onSubmit={(event) => {
        event.preventDefault();
        goTo(Number(text) - 1);
      }}
    >
      <label for="row-number">Row</label>
      <input
        id="row-number"
        type="number"
        required
        min={1}
        max={rows}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit">Go to it</button>
    </form>
  );
}
