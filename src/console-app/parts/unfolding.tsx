import type { ComponentChild } from "preact";
import { useState } from "preact/hooks";

/** A part that opens. What is in it is made when it is first opened: a list of many would have thousands of hidden elements. */
export function Unfolding(props: { readonly summary: string; readonly children: () => ComponentChild }) {
  const { summary, children } = props;
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details
      onToggle={(event) => {
        if (event.currentTarget.open) setWasOpened(true);
      }}
    >
      <summary>{summary}</summary>
      {wasOpened && children()}
    </details>
  );
}
