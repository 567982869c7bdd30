import { useRef, useState } from "preact/hooks";
import type { SqlPageAnswer } from "../../../console/sql-answers.js";
import { type ApiFailure, send } from "../../api.js";
import { failureOf } from "../../resource.js";
import { ROOT } from "../../root.js";

const FORMATS = [
  ["csv", "CSV"],
  ["jsonl", "JSON Lines"],
] as const;

/** Whether a browser does something else with a click than to follow the link. */
const isSpecial = (event: MouseEvent) => event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;

/** What did not come of a download, and what asks for it again. */
export interface FailedDownload {
  readonly failure: ApiFailure;
  readonly again: () => void;
}

/**
 * Links to the files of a result. No page hears of a download that fails, so before one begins the server is asked whether it still has
 * the result.
 */
export function DownloadLinks(props: {
  readonly id: number;
  /** Called with what failed, and with undefined when a download begins. */
  readonly onFailure: (failed: FailedDownload | undefined) => void;
}) {
  const { id, onFailure } = props;
  const asked = useRef<HTMLAnchorElement>(undefined);
  const [busy, setBusy] = useState(false);
  const begin = async (link: HTMLAnchorElement) => {
    setBusy(true);
    try {
      await send<SqlPageAnswer>("GET", "sql/page", { id, offset: 0, limit: 1 });
      onFailure(undefined);
      asked.current = link;
      link.click();
    } catch (error) {
      onFailure({ failure: failureOf(error), again: () => void begin(link) });
    } finally {
      asked.current = undefined;
      setBusy(false);
    }
  };
  return (
    <>
      {FORMATS.map(([format, name]) => (
        <a
          key={format}
          class="button"
          href={`${ROOT}console/api/sql/file?id=${id}&format=${format}`}
          download={`mirrorlake-query.${format}`}
          onClick={(event) => {
            if (isSpecial(event) || asked.current === event.currentTarget) return;
            event.preventDefault();
            if (!busy) void begin(event.currentTarget);
          }}
        >
          {name}
        </a>
      ))}
    </>
  );
}
