import type { ComponentChildren } from "preact";

/** What may be wider or taller than its place: it scrolls, with the keyboard too. */
export function ScrollBox(props: {
  readonly label: string;
  readonly className?: string;
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse can scroll only what can have the focus
    <section class={props.className ?? "scroll"} aria-label={props.label} tabIndex={0}>
      {props.children}
    </section>
  );
}

/** Code, or any other text as it is. */
export function CodeBox({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <ScrollBox label={label}>
      <pre>
        <code>{text}</code>
      </pre>
    </ScrollBox>
  );
}
