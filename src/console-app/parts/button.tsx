import type { ComponentChildren } from "preact";

/**
 * A button that cannot be pressed while `off`, and keeps the focus meanwhile: a disabled one loses it, and who works by keyboard loses the
 * place in the page.
 */
export function Button(props: {
  readonly off: boolean;
  readonly type?: "button" | "submit";
  readonly class?: string;
  readonly onClick?: (event: MouseEvent) => void;
  readonly children: ComponentChildren;
}) {
  const { off, type = "button", class: look, onClick, children } = props;
  return (
    <button
      type={type}
      class={look ?? ""}
      aria-disabled={off ? "true" : undefined}
      onClick={(event) => {
        if (off) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {children}
    </button>
  );
}
