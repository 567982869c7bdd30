import { useState } from "preact/hooks";
import type { HitAnswer, RanksAnswer } from "../../../console/answers.js";
import type { ApiFailure } from "../../api.js";
import { send } from "../../api.js";
import { counted, cutText, instant, price as money, short } from "../../format.js";
import { CopyButton } from "../../parts/copy-button.js";
import { SafeLink } from "../../parts/safe-link.js";
import { Failure } from "../../parts/states.js";
import { Unfolding } from "../../parts/unfolding.js";
import { failureOf } from "../../resource.js";
import { Highlighted, type MarkedWords } from "./highlight.js";

/** Characters of a text that a card shows unasked. */
const TEASER = 320;

/** A record: its text or title, the numbers of its domain, and why it was found. All of it is text, whatever it contains. */
export function RecordCard(props: {
  readonly hit: HitAnswer;
  readonly marked: MarkedWords;
  readonly platform: string;
  readonly provenance: boolean;
}) {
  const { marked, platform, provenance } = props;
  const [whole, setWhole] = useState<HitAnswer>();
  const [open, setOpen] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const { record, ranks } = { ...props.hit, ...whole, ranks: props.hit.ranks };
  const { title, text = "", extra = {}, comment_thread, review_sample } = record;
  const long = text.length > TEASER || !props.hit.whole;
  const shown = open || text.length <= TEASER ? text : teaserOf(text, marked.words);
  const more = async () => {
    setOpen(!open);
    if (open || props.hit.whole || whole) return;
    try {
      setWhole(await send<HitAnswer>("GET", "record", { id: record.id }));
    } catch (error) {
      setFailure(failureOf(error));
    }
  };
  const samples = comment_thread ?? review_sample ?? [];
  return (
    <article class={`card ${record.src}`} aria-label={title ?? `Record ${record.id}`}>
      <p class="card-kind">
        <span class={`tag ${record.src}`}>{record.src}</span>
        <span>{platform}</span>
        <span class="muted">{record.lang}</span>
        {typeof extra.published_at === "string" && <span class="muted">{instant(extra.published_at)}</span>}
        {ranks && <Why ranks={ranks} />}
      </p>
      {title !== undefined && (
        <h2 class="card-title" dir="auto" lang={record.lang === "und" ? undefined : record.lang}>
          <Highlighted text={title} pattern={marked.pattern} />
        </h2>
      )}
      {shown !== "" && (
        <p class="card-text" dir="auto" lang={record.lang === "und" ? undefined : record.lang}>
          <Highlighted text={shown} pattern={marked.pattern} />
        </p>
      )}
      {long && (
        <button type="button" class="link" aria-expanded={open} onClick={() => void more()}>
          {open ? "Less" : "All of it"}
        </button>
      )}
      {failure && <Failure failure={failure} />}
      <Numbers record={record} />
      {record.entities && record.entities.length > 0 && (
        <ul class="entities" aria-label="Entities">
          {record.entities.slice(0, 12).map((entity) => (
            <li key={entity} dir="auto">
              {entity}
            </li>
          ))}
        </ul>
      )}
      {samples.length > 0 && (
        <Unfolding summary={`${counted(samples.length, comment_thread ? "comment" : "review")} as a sample`}>
          {() => (
            <ul class="samples">
              {samples.map((sample, at) => (
                <li key={at} dir="auto">
                  {sample}
                </li>
              ))}
            </ul>
          )}
        </Unfolding>
      )}
      <Unfolding summary={provenance ? "Provenance and fields" : "Fields"}>
        {() => <Facts record={record} provenance={provenance} />}
      </Unfolding>
    </article>
  );
}

/** Where a record comes from, and the fields that a card does not show otherwise. */
function Facts(props: { readonly record: HitAnswer["record"]; readonly provenance: boolean }) {
  const { record, provenance } = props;
  const { author, extra = {} } = record;
  return (
    <dl class="facts">
      <dt>id</dt>
      <dd>
        <code>{record.id}</code> <CopyButton text={record.id} label="Copy" />
      </dd>
      {provenance && (
        <>
          <dt>prov.hash</dt>
          <dd>
            <code>{record.prov.hash}</code>
          </dd>
          <dt>prov.ts</dt>
          <dd>{record.prov.ts}</dd>
          {record.prov.source !== undefined && (
            <>
              <dt>prov.source</dt>
              <dd>{record.prov.source}</dd>
            </>
          )}
        </>
      )}
      {author && (
        <>
          <dt>author</dt>
          <dd>
            <code>{author.uid_hash}</code>
            {author.followers !== undefined && ` · ${short(author.followers)} followers`}
          </dd>
        </>
      )}
      {Object.entries(extra).map(([name, value]) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name} value`}>
          {typeof value === "string" ? <SafeLink text={value} /> : String(value)}
        </dd>,
      ])}
    </dl>
  );
}

/** The part of a long text around the first word of the query; its beginning without. */
function teaserOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const at = places.length === 0 ? 0 : Math.min(...places);
  const start = at < TEASER / 2 ? 0 : text.indexOf(" ", at - TEASER / 3) + 1;
  const from = Math.min(start, at);
  const shown = cutText(text.slice(from).replace(/^[\uDC00-\uDFFF]/, ""), TEASER);
  return `${from > 0 ? "… " : ""}${shown.trim()} …`;
}

/** Which rankings found a record, and at which rank. */
function Why({ ranks: { keyword, semantic } }: { readonly ranks: RanksAnswer }) {
  const how = keyword && semantic ? "words and meaning" : keyword ? "words" : semantic ? "meaning" : "";
  if (how === "") return null;
  const detail = [
    keyword && `words: rank ${keyword.rank}, BM25 ${keyword.score.toFixed(2)}`,
    semantic && `meaning: rank ${semantic.rank}, similarity ${semantic.score.toFixed(3)}`,
  ].filter(Boolean);
  return (
    <span class="why" title={detail.join("\n")}>
      found by {how}
      <span class="why-ranks">
        {keyword && <span>W {keyword.rank}</span>}
        {semantic && <span>M {semantic.rank}</span>}
      </span>
      <span class="hidden">{detail.join("; ")}</span>
    </span>
  );
}

function Numbers({ record }: { readonly record: HitAnswer["record"] }) {
  const { metrics = {}, price, sentiment } = record;
  const entries = Object.entries(metrics).filter(([, value]) => value !== undefined);
  if (entries.length === 0 && !price && !sentiment) return null;
  const drop = price?.drop_7d;
  return (
    <ul class="numbers" aria-label="Numbers">
      {price && (
        <li>
          <strong>
            {money(price.current)} {price.currency}
          </strong>
          {drop !== undefined && (
            <span class={drop < 0 ? "good-text" : drop > 0 ? "bad-text" : "muted"}>
              {" "}
              {drop > 0 ? "▲ +" : drop < 0 ? "▼ " : ""}
              {drop} % in 7 days
            </span>
          )}
        </li>
      )}
      {sentiment && (
        <li>
          sentiment{" "}
          <strong class={sentiment.score < 0 ? "bad-text" : sentiment.score > 0 ? "good-text" : ""}>
            {sentiment.label} {Math.round(sentiment.score * 100) / 100}
          </strong>
        </li>
      )}
      {entries.map(([name, value]) => (
        <li key={name}>
          <strong>{short(value as number)}</strong> {name.replaceAll("_", " ")}
        </li>
      ))}
    </ul>
  );
}
