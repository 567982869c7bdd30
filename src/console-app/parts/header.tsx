import type { LakeAnswer } from "../../console/answers.js";
import { count } from "../format.js";
import { place, TABS, type Tab } from "../router.js";
import { type Theme, theme } from "../theme.js";
import { useCurrentShown } from "./current-shown.js";
import { PlaceLink } from "./place-link.js";

/** Name, navigation, and what the lake is. */
export function Header(props: {
  readonly lake: LakeAnswer | undefined;
  readonly titles: Readonly<Record<Tab, string>>;
}) {
  const { lake, titles } = props;
  const { tab: current } = place.value;
  const nav = useCurrentShown<HTMLElement>(current);
  return (
    <header class="top">
      <div class="brand">
        <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
          <path d="M2 12 L9 4 L13 9 L16 6 L22 12 Z" fill="currentColor" />
          <path d="M2 13.5 L9 21 L13 16.5 L16 19 L22 13.5 Z" fill="currentColor" opacity="0.4" />
        </svg>
        <span class="brand-name">Mirrorlake</span>
        {lake && (
          <span class="lake-facts">
            {lake.lake} · {count(lake.records)} records
          </span>
        )}
      </div>
      <nav aria-label="Views" ref={nav}>
        <ul>
          {TABS.map((tab) => (
            <li key={tab}>
              <PlaceLink tab={tab} current={current === tab}>
                {titles[tab]}
              </PlaceLink>
            </li>
          ))}
        </ul>
      </nav>
      <label class="theme">
        <span class="hidden">Colours</span>
        <select
          value={theme.value}
          onChange={(event) => {
            theme.value = event.currentTarget.value as Theme;
          }}
        >
          <option value="system">System colours</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
    </header>
  );
}
