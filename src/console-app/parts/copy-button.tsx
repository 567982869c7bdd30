import { useState } from "preact/hooks";

/** Copies a text, and says so. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [said, setSaid] = useState("");
  return (
    <button
      type="button"
      class="quiet"
      onClick={async () => {
        try {
          await navigator.clipboard.writeText(text);
          setSaid("Copied");
        } catch {
          setSaid("Not allowed: select and copy");
        }
        setTimeout(() => setSaid(""), 2_000);
      }}
    >
      <span aria-live="polite">{said === "" ? label : said}</span>
    </button>
  );
}
