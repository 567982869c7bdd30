import { useMemo } from "preact/hooks";
import type { FacetsAnswer, LakeAnswer, SearchAnswer } from "../../../console/answers.js";
import type { TabProps } from "../../app.js";
import { count, counted, day, duration, usd } from "../../format.js";
import { Choices } from "../../parts/choices.js";
import { Empty, Failure, Spoken } from "../../parts/states.js";
import { useResource } from "../../resource.js";
import { change, listOf, place } from "../../router.js";
import { useDraft } from "../../use-draft.js";
import { useLate } from "../../use-late.js";
import { CopyCall } from "./copy-call.js";
import { wordsOf } from "./highlight.js";
import { RecordCard } from "./record-card.js";

const WINDOWS: readonly (readonly [value: string, name: string])[] = [
  ["", "Any time (this lake only)"],
  ["24h", "24 hours"],
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
];

/** What windows are counted back from. */
const AS_OF: Readonly<Record<LakeAnswer["as_of_rule"], string>> = {
  corpus: "the newest capture",
  system: "the clock of the server",
  instant: "as serve was told with --as-of",
};

/** Searches the lake; without words it shows the newest records. */
export function SearchTab({ lake }: TabProps) {
  const { params } = place.value;
  const { query = "", freshness, domains, platforms, langs, format, limit = "20" } = params;
  const filters = { domains, platforms, langs, freshness };
  const found = useResource<SearchAnswer>("search", { ...filters, query, limit });
  const facets = useResource<FacetsAnswer>("facets", filters);
  const late = useLate(found.loading);
  const nameOf = (slug: string) => lake.platforms.find((platform) => platform.slug === slug)?.name ?? slug;
  const provenance = format !== "records";
  // What was found before stays as it was drawn until the next has come.
  const cards = useMemo(() => {
    const marked = wordsOf(query);
    return found.data?.hits.map((hit) => (
      <li key={hit.record.id}>
        <RecordCard
          hit={hit}
          marked={marked}
          platform={nameOf(hit.record.platform)}
          provenance={provenance}
        />
      </li>
    ));
  }, [found.data, lake, provenance]);
  // Asking the window makes it lay out the page.
  const isWide = useMemo(() => matchMedia("(min-width: 820px)").matches, []);
  const filtered = [domains, platforms, langs, freshness].some((value) => value !== undefined);
  const choose = (name: string) => (chosen: readonly string[]) =>
    change({ [name]: chosen.length === 0 ? undefined : chosen.join(",") });

  return (
    <div class="split">
      <SearchBar query={query} />

      <aside class="filters" aria-label="Filters">
        <details class="filters-box" open={isWide}>
          <summary>Filters</summary>
          <label class="field">
            <span>Captured within</span>
            <select
              value={freshness ?? ""}
              onChange={(event) => change({ freshness: event.currentTarget.value || undefined })}
            >
              {WINDOWS.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <p class="hint">
            Counted back from {day(lake.as_of)}, {AS_OF[lake.as_of_rule]}.
          </p>
          {facets.data && (
            <>
              <Choices
                legend="Domain"
                options={facets.data.domains}
                chosen={listOf(domains)}
                onChange={choose("domains")}
              />
              <Choices
                legend="Platform"
                options={facets.data.platforms}
                chosen={listOf(platforms)}
                nameOf={nameOf}
                onChange={choose("platforms")}
              />
              <Choices
                legend="Language"
                options={facets.data.langs}
                chosen={listOf(langs)}
                onChange={choose("langs")}
              />
            </>
          )}
          {facets.failure && <Failure failure={facets.failure} again={facets.again} />}
          <div class="field-row">
            <label class="field">
              <span>Results</span>
              <select value={limit} onChange={(event) => change({ limit: event.currentTarget.value })}>
                {["10", "20", "50", "100"].map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            </label>
            <label class="field">
              <span>Format</span>
              <select
                value={format ?? "vectors+provenance"}
                onChange={(event) =>
                  change({ format: event.currentTarget.value === "records" ? "records" : undefined })
                }
              >
                <option>vectors+provenance</option>
                <option>records</option>
              </select>
            </label>
          </div>
          {filtered && (
            <button
              type="button"
              onClick={() =>
                change({ domains: undefined, platforms: undefined, langs: undefined, freshness: undefined })
              }
            >
              Clear the filters
            </button>
          )}
        </details>
      </aside>

      <section class="results" aria-label="Results" aria-busy={found.loading}>
        {found.failure && <Failure failure={found.failure} again={found.again} />}
        <div class="results-head">
          <Spoken what={!found.data && found.loading ? "records" : undefined}>
            {found.data && (
              <p>
                {late ? (
                  "Searching; below is what was found before …"
                ) : (
                  <>
                    {query === "" ? "Newest of " : `Best ${found.data.hits.length} of `}
                    {counted(found.data.candidates, "record")}
                    <span class="muted"> · {duration(found.data.ms)}</span>
                  </>
                )}
              </p>
            )}
          </Spoken>
          {found.data && <CopyCall price={usd(found.data.price_usd)} />}
        </div>
        {found.data && (
          <>
            {found.data.note && <p class="notice">{found.data.note}</p>}
            {found.data.hits.length === 0 && (
              <Empty
                title={
                  found.data.candidates === 0
                    ? "The filters leave no record"
                    : "Nothing in the lake is near to this"
                }
              >
                <p>
                  {found.data.candidates === 0
                    ? `Of ${count(lake.records)} records none is left. Take a filter away, or a longer window.`
                    : "Try other words. An empty answer of the API is free."}
                </p>
              </Empty>
            )}
            <ol class={late ? "cards stale" : "cards"}>{cards}</ol>
          </>
        )}
      </section>
    </div>
  );
}

/** Most characters of a query. The browser counts an emoji as two; the server says so if there are more. */
const QUERY_LENGTH = 500;

/** The words of a search. They are a state of their own, so that typing draws no record again. */
function SearchBar({ query }: { readonly query: string }) {
  const [text, setText] = useDraft(query);
  return (
    <search class="search-slot">
      <form
        class="search-bar"
        onSubmit={(event) => {
          event.preventDefault();
          change({ query: text.trim() === "" ? undefined : text.trim() });
        }}
      >
        <label class="hidden" for="query">
          Words to search for
        </label>
        <input
          id="query"
          type="search"
          dir="auto"
          placeholder="Search by meaning and words, in any language"
          maxLength={2 * QUERY_LENGTH}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button class="primary" type="submit">
          Search
        </button>
      </form>
    </search>
  );
}
