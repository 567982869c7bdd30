import { useState } from "preact/hooks";
import { SafeLink } from "./safe-link.js";

/** Members that are shown before "more". */
const MEMBERS = 50;

/** A value of JSON as a tree that unfolds. */
export function Tree({ value }: { readonly value: unknown }) {
  return (
    <div class="tree">
      <Node value={value} depth={0} />
    </div>
  );
}

function Node({ value, depth }: { readonly value: unknown; readonly depth: number }) {
  const [shown, setShown] = useState(MEMBERS);
  if (value === null) return <span class="muted">null</span>;
  if (typeof value === "string")
    return (
      <span class="tree-text" dir="auto">
        <SafeLink text={value} />
      </span>
    );
  if (typeof value !== "object") return <span class="tree-scalar">{String(value)}</span>;
  const members = Array.isArray(value)
    ? value.map((item, at) => [String(at), item] as const)
    : Object.entries(value as object);
  if (members.length === 0) return <span class="muted">{Array.isArray(value) ? "[]" : "{}"}</span>;
  return (
    <ul>
      {members.slice(0, shown).map(([name, member]) => (
        <li key={name}>
          <Member name={name} value={member} depth={depth} />
        </li>
      ))}
      {members.length > shown && (
        <li>
          <button type="button" class="link" onClick={() => setShown(shown + 200)}>
            {members.length - shown} more
          </button>
        </li>
      )}
    </ul>
  );
}

function Member(props: { readonly name: string; readonly value: unknown; readonly depth: number }) {
  const { name, value, depth } = props;
  const [open, setOpen] = useState(depth < 1);
  const size = typeof value === "object" && value !== null ? Object.keys(value).length : 0;
  if (size === 0)
    return (
      <>
        <span class="tree-name">{name}</span> <Node value={value} depth={depth + 1} />
      </>
    );
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="tree-name">{name}</span>{" "}
        <span class="muted">{Array.isArray(value) ? `[${size}]` : `{${size}}`}</span>
      </summary>
      {open && <Node value={value} depth={depth + 1} />}
    </details>
  );
}
