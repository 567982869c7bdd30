import { count } from "../format.js";

/** Goes through the pages of a list; the offset is in the address. */
export function Pager(props: {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly onChange: (offset: number) => void;
}) {
  const { offset, limit, total, onChange } = props;
  if (total <= limit && offset === 0) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" disabled={offset === 0} onClick={() => onChange(Math.max(0, offset - limit))}>
        Previous
      </button>
      <span>
        {count(offset + 1)} to {count(Math.min(total, offset + limit))} of {count(total)}
      </span>
      <button type="button" disabled={offset + limit >= total} onClick={() => onChange(offset + limit)}>
        Next
      </button>
    </nav>
  );
}
