import { count } from "../format.js";
import { change, place } from "../router.js";
import { Button } from "./button.js";

/** Goes through the pages of a list; the offset is in the address. */
export function Pager({ limit, total }: { readonly limit: number; readonly total: number }) {
  const offset = Number(place.value.params.offset ?? 0);
  if (total <= limit && offset === 0) return null;
  const go = (to: number) => change({ offset: to === 0 ? undefined : String(to) });
  const last = Math.max(0, Math.ceil(total / limit) - 1) * limit;
  return (
    <nav class="pager" aria-label="Pages">
      <Button off={offset === 0} onClick={() => go(Math.min(last, Math.max(0, offset - limit)))}>
        Previous
      </Button>
      <span>
        {offset < total
          ? `${count(offset + 1)} to ${count(Math.min(total, offset + limit))} of ${count(total)}`
          : `The list ends at ${count(total)}`}
      </span>
      <Button off={offset + limit >= total} onClick={() => go(offset + limit)}>
        Next
      </Button>
    </nav>
  );
}
