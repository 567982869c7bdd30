import { useEffect, useRef, useState } from "preact/hooks";
import type { CallAnswer, EndpointAnswer, EndpointFormAnswer } from "../../../console/answers.js";
import { type ApiFailure, send } from "../../api.js";
import type { TabProps } from "../../app.js";
import { duration, usd } from "../../format.js";
import { Empty, Failure, Loading, Spoken } from "../../parts/states.js";
import { failureOf, useResource } from "../../resource.js";
import { navigate, type Params, place } from "../../router.js";
import { AnswerView } from "./answer-view.js";
import { ParamsForm } from "./params-form.js";

/** Begins the names of the call's parameters in the address. */
const PREFIX = "p.";

/** The parameters of the call in the address. */
function callParams(params: Params): Params {
  const own = Object.entries(params).filter(([name]) => name.startsWith(PREFIX));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(PREFIX.length), value]));
}

/** Goes to a call of an endpoint; with `run` it is made. */
function goToCall(id: string, params: Params, run: boolean): void {
  const own = Object.entries(params).map(([name, value]) => [`${PREFIX}${name}`, value]);
  navigate("raw", { id, ...Object.fromEntries(own), run: run ? "1" : undefined });
}

/** Calls the endpoints of raw data: an endpoint, its parameters, its answer. */
export function RawTab({ lake }: TabProps) {
  const { params } = place.value;
  const rows = useResource<readonly EndpointAnswer[]>("endpoints", {});
  const raw = (rows.data ?? []).filter(({ platform, method }) => platform !== undefined && method === "GET");
  const chosen = raw.find(({ id }) => id === params.id);
  const held = new Set(lake.platforms.filter(({ records }) => records > 0).map(({ slug }) => slug));
  const platforms = [...new Set(raw.map(({ platform }) => platform!))].sort(
    (a, b) => Number(held.has(b)) - Number(held.has(a)),
  );
  const platform = chosen?.platform ?? params.platform ?? platforms[0] ?? "";
  const resources = raw.filter((row) => row.platform === platform);
  const row = chosen ?? resources[0];
  const nameOf = (slug: string) => lake.platforms.find((each) => each.slug === slug)?.name ?? slug;
  if (rows.failure) return <Failure failure={rows.failure} again={rows.again} />;
  if (row === undefined)
    return rows.loading ? (
      <Loading what="the endpoints" />
    ) : (
      <Empty title="The catalogue has no raw endpoint" />
    );
  return (
    <div class="split">
      <aside class="filters panel" aria-label="Call">
        {params.id !== undefined && chosen === undefined && (
          <p class="notice">The catalogue has no endpoint {params.id}: choose one.</p>
        )}
        <label class="field">
          <span>Platform</span>
          <select
            value={platform}
            onChange={(event) => {
              const first = raw.find((each) => each.platform === event.currentTarget.value);
              if (first) goToCall(first.id, {}, false);
            }}
          >
            {platforms.map((slug) => (
              <option key={slug} value={slug}>
                {nameOf(slug)}
                {held.has(slug) ? "" : " (no records here)"}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Resource</span>
          <select value={row.id} onChange={(event) => goToCall(event.currentTarget.value, {}, false)}>
            {resources.map(({ id, resource }) => (
              <option key={id} value={id}>
                {resource}
              </option>
            ))}
          </select>
        </label>
        <Call key={row.id} row={row} />
      </aside>
      <CallResult row={row} />
    </div>
  );
}

/** The form of a call. */
function Call({ row }: { readonly row: EndpointAnswer }) {
  const form = useResource<EndpointFormAnswer>("endpoint", { id: row.id });
  return (
    <>
      <p class="hint">{row.summary}</p>
      <p class="hint">
        <code>
          {row.method} {row.path}
        </code>{" "}
        costs a program {usd(row.price_usd)}, here nothing.
      </p>
      {form.failure && <Failure failure={form.failure} again={form.again} />}
      {form.loading && !form.data && <Loading what="its parameters" />}
      {form.data && (
        <ParamsForm
          form={form.data}
          values={callParams(place.value.params)}
          onSubmit={(values) => goToCall(row.id, values, true)}
        />
      )}
    </>
  );
}

/** How a call came out, in a line. */
function Outcome({ answer }: { readonly answer: CallAnswer }) {
  const { status, empty, error, ms } = answer;
  return (
    <p>
      <strong class={status === 200 ? "good-text" : "bad-text"}>{status}</strong>{" "}
      {error && <span class="hidden">{error.message} </span>}
      {empty && error === undefined ? "empty, and free " : ""}
      <span class="muted">· {duration(ms)}</span>
    </p>
  );
}

/** The answer of the call in the address. */
function CallResult({ row }: { readonly row: EndpointAnswer }) {
  const { params } = place.value;
  const given = callParams(params);
  const key = params.run === undefined || params.id !== row.id ? undefined : JSON.stringify(given);
  const form = useResource<EndpointFormAnswer>("endpoint", { id: row.id });
  const [answer, setAnswer] = useState<CallAnswer>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [loading, setLoading] = useState(false);
  const top = useRef<HTMLElement>(null);
  useEffect(() => {
    setFailure(undefined);
    setAnswer(undefined);
    if (key === undefined) return;
    const stop = new AbortController();
    setLoading(true);
    send<CallAnswer>("POST", "call", { id: row.id, params: JSON.parse(key) as Params }, stop.signal)
      .then((arrived) => {
        setAnswer(arrived);
        // On a phone the answer is below the form.
        if (matchMedia("(max-width: 819px)").matches) top.current?.scrollIntoView();
      })
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setFailure(failureOf(error));
      })
      .finally(() => {
        if (!stop.signal.aborted) setLoading(false);
      });
    return () => stop.abort();
  }, [row.id, key]);
  return (
    <section class="results" aria-label="Answer" aria-busy={loading} ref={top}>
      {failure && <Failure failure={failure} />}
      <Spoken what={loading ? "the answer" : undefined}>{answer && <Outcome answer={answer} />}</Spoken>
      {key === undefined && (
        <Empty title="No call yet">
          <p>Fill in the parameters, or take an id that this lake holds, and send the call.</p>
        </Empty>
      )}
      {answer && (
        <>
          {answer.error && (
            <div class="notice bad">
              <p>
                <strong>{answer.error.message}</strong> <code>{answer.error.code}</code>
              </p>
            </div>
          )}
          {answer.hint && <p class="notice">{answer.hint}</p>}
          {answer.error === undefined && answer.empty && (
            <Empty title="The lake does not hold this">
              <p>The call is well formed, and nothing in the lake answers it.</p>
            </Empty>
          )}
          {answer.data !== null && !answer.empty && (
            <AnswerView
              data={answer.data}
              params={given}
              replies={form.data?.replies}
              onPage={(cursor) => {
                goToCall(row.id, { ...given, cursor: String(cursor) }, true);
                top.current?.scrollIntoView();
              }}
            />
          )}
        </>
      )}
    </section>
  );
}
