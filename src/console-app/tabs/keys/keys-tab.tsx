import { useEffect, useRef, useState } from "preact/hooks";
import type { KeyAnswer, NewKeyAnswer } from "../../../console/answers.js";
import { type ApiFailure, send } from "../../api.js";
import type { TabProps } from "../../app.js";
import { instant } from "../../format.js";
import { ignoreSecondClick, useOneAtATime } from "../../one-at-a-time.js";
import { Button } from "../../parts/button.js";
import { CopyButton } from "../../parts/copy-button.js";
import { DataTable } from "../../parts/data-table.js";
import { Empty, Failure, Loading } from "../../parts/states.js";
import { failureOf, useResource } from "../../resource.js";

const SCOPES: readonly (readonly [scope: string, meaning: string])[] = [
  ["search", "search over all domains"],
  ["datasets", "slices and their files"],
  ["account", "balance, usage, keys"],
  ["*", "everything"],
];

/** Makes, lists and revokes API keys. */
export function KeysTab({ lake }: TabProps) {
  const keys = useResource<readonly KeyAnswer[]>("keys", {});
  const [made, setMade] = useState<NewKeyAnswer>();
  return (
    <>
      {made && (
        <div class="notice good" role="status">
          <p>
            <strong>Copy the key {made.name !== "" && `“${made.name}” `}now.</strong> It is shown this once;
            only its SHA-256 is kept.
          </p>
          <p class="row">
            <code class="secret">{made.api_key}</code>
            <CopyButton text={made.api_key} label="Copy the key" />
            <button type="button" class="quiet" onClick={() => setMade(undefined)}>
              Hide
            </button>
          </p>
        </div>
      )}
      <div class="panels">
        <KeyForm
          platforms={lake.platforms.map(({ slug, name }) => [slug, name] as const)}
          onMade={(key) => {
            setMade(key);
            keys.again();
          }}
        />
        <section class="panel wide" aria-label="Keys">
          <h2>Keys</h2>
          {keys.failure && <Failure failure={keys.failure} again={keys.again} />}
          {!keys.data && keys.loading && <Loading what="keys" />}
          {keys.data?.length === 0 && (
            <Empty title="No key yet">
              <p>A program needs one for every call. The key that serve printed ends with the server.</p>
            </Empty>
          )}
          {keys.data && keys.data.length > 0 && <KeyTable keys={keys.data} onChange={keys.again} />}
        </section>
      </div>
    </>
  );
}

function KeyForm(props: {
  readonly platforms: readonly (readonly [slug: string, name: string])[];
  readonly onMade: (key: NewKeyAnswer) => void;
}) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly string[]>(["search"]);
  const [failure, setFailure] = useState<ApiFailure>();
  const { busy, run } = useOneAtATime();
  const box = (scope: string, meaning: string) => (
    <label class="choice" key={scope}>
      <input
        type="checkbox"
        checked={scopes.includes(scope)}
        onChange={(event) =>
          setScopes(
            event.currentTarget.checked ? [...scopes, scope] : scopes.filter((each) => each !== scope),
          )
        }
      />
      <span class="choice-name">
        <code>{scope}</code> <span class="muted">{meaning}</span>
      </span>
    </label>
  );
  return (
    <form
      class="panel wide"
      aria-label="New key"
      onSubmit={(event) => {
        event.preventDefault();
        run(() => {
          setFailure(undefined);
          return send<NewKeyAnswer>("POST", "keys/create", { name, scopes })
            .then((key) => {
              setName("");
              props.onMade(key);
            })
            .catch((error: unknown) => setFailure(failureOf(error)));
        });
      }}
    >
      <h2>New key</h2>
      <label class="field">
        <span>Name</span>
        <input
          maxLength={100}
          value={name}
          placeholder="What it is for"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <fieldset>
        <legend>Scopes</legend>
        <div class="scope-grid">{SCOPES.map(([scope, meaning]) => box(scope, meaning))}</div>
        <details>
          <summary>Raw data of a platform</summary>
          <div class="scope-grid">
            {props.platforms.map(([slug, platform]) => box(`raw:${slug}`, platform))}
          </div>
        </details>
      </fieldset>
      {failure && <Failure failure={failure} />}
      <p class="field-row">
        <Button class="primary" type="submit" off={busy || scopes.length === 0} onClick={ignoreSecondClick}>
          Make the key
        </Button>
      </p>
    </form>
  );
}

function KeyTable({
  keys,
  onChange,
}: {
  readonly keys: readonly KeyAnswer[];
  readonly onChange: () => void;
}) {
  const [failure, setFailure] = useState<ApiFailure>();
  const { busy, run } = useOneAtATime();
  const revoke = (id: string) =>
    run(() => {
      setFailure(undefined);
      return send("POST", "keys/revoke", { id })
        .then(onChange)
        .catch((error: unknown) => setFailure(failureOf(error)));
    });
  const state = ({ id, name, revoked_at }: KeyAnswer) => {
    if (revoked_at !== null) return <span class="muted">revoked {instant(revoked_at)}</span>;
    return <Revoke name={name || id} busy={busy} onRevoke={() => revoke(id)} />;
  };
  return (
    <>
      {failure && <Failure failure={failure} />}
      <DataTable
        label="Keys of the account"
        rows={keys}
        keyOf={({ id }) => id}
        columns={[
          {
            title: "Name",
            head: true,
            cell: ({ id, name }) => (
              <>
                {name === "" ? <span class="muted">no name</span> : name}
                <br />
                <code class="muted">{id}</code>
              </>
            ),
          },
          { title: "Scopes", cell: ({ scopes }) => <code>{scopes.join(" ")}</code> },
          { title: "Made", className: "nowrap", cell: ({ created_at }) => instant(created_at) },
          { title: "State", className: "nowrap", cell: state },
        ]}
      />
    </>
  );
}

/** Asks before a key is revoked. The button that is pressed goes away each time: the focus goes to one that stands in its place. */
function Revoke(props: { readonly name: string; readonly busy: boolean; readonly onRevoke: () => void }) {
  const [asked, setAsked] = useState<boolean>();
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (asked !== undefined) next.current?.focus();
  }, [asked]);
  if (asked !== true)
    return (
      <button type="button" ref={next} onClick={() => setAsked(true)}>
        Revoke<span class="hidden"> {props.name}</span>
      </button>
    );
  return (
    <span class="row">
      <Button
        class="danger"
        off={props.busy}
        onClick={() => {
          setAsked(false);
          props.onRevoke();
        }}
      >
        Revoke for good
      </Button>
      <button type="button" ref={next} onClick={() => setAsked(false)}>
        Keep
      </button>
    </span>
  );
}
