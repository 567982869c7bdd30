import { useState } from "preact/hooks";
import { CopyButton } from "../../parts/copy-button.js";
import { CodeBox } from "../../parts/scroll-box.js";
import { ROOT } from "../../root.js";
import { listOf, place } from "../../router.js";

const FORMS = ["TypeScript", "curl", "MCP"] as const;
type Form = (typeof FORMS)[number];

/** The search at hand as a call from a program, in the form that is chosen. */
export function CopyCall({ price }: { readonly price: string }) {
  const [form, setForm] = useState<Form>("TypeScript");
  const { query = "", domains, platforms, langs, freshness, format, limit } = place.value.params;
  if (query === "") return <p class="muted">Search to get the call for a program.</p>;
  const body = {
    query,
    ...(domains ? { domains: listOf(domains) } : {}),
    ...(platforms ? { platforms: listOf(platforms) } : {}),
    freshness: freshness ?? "90d",
    ...(format ? { format } : {}),
    ...(limit ? { limit: Number(limit) } : {}),
  };
  const code = codeOf(form, body);
  return (
    <details class="copy-call">
      <summary>Copy the call</summary>
      <div class="copy-call-body">
        <div class="row">
          {FORMS.map((each) => (
            <button
              key={each}
              type="button"
              class="toggle"
              aria-pressed={form === each}
              onClick={() => setForm(each)}
            >
              {each}
            </button>
          ))}
          <CopyButton text={code} label="Copy" />
        </div>
        <CodeBox text={code} label={`The call in ${form}`} />
        <p class="hint">
          A call of a program costs {price}, or one of the free calls of the month. Here it costs nothing.
          {freshness === undefined && " The API looks back 90 days at most."}
          {langs && " Language is no parameter of the API's search: filter its answer by lang."}
        </p>
      </div>
    </details>
  );
}

function codeOf(form: Form, body: { readonly format?: string }): string {
  if (form === "curl") {
    const text = JSON.stringify(body).replaceAll("'", "'\\''");
    return `curl ${location.origin}${ROOT}v1/search \\\n  -H "x-api-key: $MIRRORLAKE_KEY" -H 'content-type: application/json' \\\n  -d '${text}'`;
  }
  if (form === "MCP") {
    const { format: _, ...args } = body;
    const request = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search", arguments: args },
    };
    return JSON.stringify(request, null, 2);
  }
  return `import { openLake } from "mirrorlake";\n\nconst lake = await openLake("my-lake");\nconst { data } = await lake.search(${JSON.stringify(body, null, 2)});\nawait lake.close();`;
}
