import { useState } from "preact/hooks";
import type { AccountAnswer, LedgerAnswer, UsageAnswer } from "../../../console/answers.js";
import { type ApiFailure, send } from "../../api.js";
import { Bars } from "../../charts/bars.js";
import { TimeBars } from "../../charts/time-bars.js";
import { count, counted, usd } from "../../format.js";
import { ignoreSecondClick, useOneAtATime } from "../../one-at-a-time.js";
import { Button } from "../../parts/button.js";
import { DataTable } from "../../parts/data-table.js";
import { Empty, Failure, Loading } from "../../parts/states.js";
import { Toggles } from "../../parts/toggles.js";
import { failureOf, useResource } from "../../resource.js";
import { change, place } from "../../router.js";

const OUTCOMES = [
  { name: "charged", color: "c1" },
  { name: "free", color: "c3" },
  { name: "empty", color: "c6" },
  { name: "errors", color: "c5" },
] as const;

/** Money, quota, rate, and the calls that were made. */
export function UsageTab() {
  const { days = "30" } = place.value.params;
  const account = useResource<AccountAnswer>("account", {});
  const usage = useResource<UsageAnswer>("usage", { days });
  const ledger = useResource<LedgerAnswer>("ledger", {});
  const again = () => {
    account.again();
    usage.again();
    ledger.again();
  };
  const failure = account.failure ?? usage.failure ?? ledger.failure;
  const calls = usage.data?.days.reduce((sum, each) => sum + each.calls, 0) ?? 0;
  return (
    <>
      {failure && <Failure failure={failure} again={again} />}
      {!account.data && account.loading && <Loading what="the account" />}
      {account.data && <Tiles account={account.data} />}
      <div class="row spread">
        <Toggles
          label="Days"
          value={days}
          onChange={(value) => change({ days: value })}
          options={[
            ["7", "7 days"],
            ["30", "30 days"],
            ["90", "90 days"],
            ["366", "a year"],
          ]}
        />
        <button type="button" onClick={again}>
          Refresh
        </button>
      </div>
      {usage.data && calls === 0 && (
        <Empty title="No call was made in this time">
          <p>Calls of programs are counted here. What the console asks is no call, and costs nothing.</p>
        </Empty>
      )}
      {usage.data && calls > 0 && (
        <div class="panels">
          <section class="panel wide" aria-label="Calls by day">
            <h2>{counted(calls, "call")} by day</h2>
            <TimeBars
              label="Calls by day and outcome"
              parts={OUTCOMES}
              bars={usage.data.days.map(({ name, charged, free, empty, errors }) => ({
                time: name,
                values: { charged, free, empty, errors },
              }))}
            />
          </section>
          <section class="panel" aria-label="Calls by endpoint">
            <h2>Calls by endpoint</h2>
            <Bars
              label="Calls by endpoint"
              bars={[...usage.data.endpoints]
                .sort((a, b) => b.calls - a.calls)
                .slice(0, 12)
                .map(({ name, calls: value }) => ({ name: name === "" ? "no endpoint" : name, value }))}
            />
          </section>
          <section class="panel" aria-label="Cost by endpoint">
            <h2>Cost by endpoint</h2>
            <Bars
              label="Cost by endpoint"
              bars={[...usage.data.endpoints]
                .map(({ name, spent_usd }) => ({
                  name: name === "" ? "no endpoint" : name,
                  value: Number(spent_usd),
                  text: usd(spent_usd),
                  color: "c2",
                }))
                .sort((a, b) => b.value - a.value)
                .slice(0, 12)}
            />
          </section>
        </div>
      )}
      <TopUp onDone={again} />
      <section class="panel" aria-label="Recent entries">
        <h2>Newest entries of the ledger</h2>
        {ledger.data?.items.length === 0 && <p class="muted">The ledger is empty.</p>}
        {ledger.data && ledger.data.items.length > 0 && <Ledger items={ledger.data.items} />}
      </section>
    </>
  );
}

function Tiles({ account }: { readonly account: AccountAnswer }) {
  return (
    <dl class="tiles">
      <div class="tile">
        <dt>Balance</dt>
        <dd>{usd(account.balance_usd)}</dd>
      </div>
      <div class="tile">
        <dt>Free calls left this month</dt>
        <dd>
          {count(account.free_remaining)} <small class="muted">of {count(account.free_limit)}</small>
        </dd>
      </div>
      <div class="tile">
        <dt>Calls left this minute</dt>
        <dd>
          {count(account.rate_remaining)} <small class="muted">of {count(account.rate_limit)}</small>
        </dd>
      </div>
      <div class="tile">
        <dt>Topped up</dt>
        <dd>{account.topped_up ? "yes" : "not yet"}</dd>
      </div>
    </dl>
  );
}

function TopUp({ onDone }: { readonly onDone: () => void }) {
  const [amount, setAmount] = useState("10.00");
  const [said, setSaid] = useState("");
  const [failure, setFailure] = useState<ApiFailure>();
  const { busy, run } = useOneAtATime();
  return (
    <form
      class="panel"
      aria-label="Top up"
      onSubmit={(event) => {
        event.preventDefault();
        run(() => {
          setFailure(undefined);
          return send<{ balance_usd: string }>("POST", "account/topup", { amount_usd: amount })
            .then(({ balance_usd }) => {
              setSaid(`The balance is ${usd(balance_usd)}.`);
              onDone();
            })
            .catch((error: unknown) => setFailure(failureOf(error)));
        });
      }}
    >
      <h2>Top up</h2>
      <p class="hint">Sandbox money. The first top-up lifts the rate to 600 calls a minute.</p>
      <div class="field-row">
        <label class="field">
          <span>Amount, USD</span>
          <input
            inputMode="decimal"
            required
            pattern="[0-9]{1,9}(\.[0-9]{1,6})?"
            value={amount}
            onInput={(event) => setAmount(event.currentTarget.value)}
          />
        </label>
        <Button type="submit" off={busy} onClick={ignoreSecondClick}>
          Top up
        </Button>
        <span role="status">{said}</span>
      </div>
      {failure && <Failure failure={failure} />}
    </form>
  );
}

function Ledger({ items }: LedgerAnswer) {
  return (
    <DataTable
      label="Newest entries of the ledger"
      className="scroll tall"
      rows={items}
      keyOf={({ seq }) => seq}
      columns={[
        { title: "When (UTC)", className: "nowrap", cell: ({ at }) => at.slice(0, 19).replace("T", " ") },
        { title: "What", cell: ({ endpoint, kind }) => endpoint ?? kind.replace("_", " ") },
        { title: "Outcome", cell: ({ code, outcome }) => code ?? outcome?.replace("_", " ") ?? "" },
        { title: "Amount", number: true, cell: ({ amount_usd }) => amount_usd },
        { title: "Balance", number: true, cell: ({ balance_usd }) => balance_usd },
        {
          title: "Request",
          className: "nowrap",
          cell: ({ request_id }) => <code class="muted">{request_id ?? ""}</code>,
        },
      ]}
    />
  );
}
