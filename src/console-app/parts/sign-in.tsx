import { useEffect, useRef, useState } from "preact/hooks";
import { openSession, sessionProblem } from "../session.js";

/** Asks for the token that the server printed. */
export function SignIn() {
  const [token, setToken] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <main id="main" class="sign-in">
      <h1>Mirrorlake</h1>
      <p>
        Open the address that <code>mirrorlake serve</code> printed when it started, or paste the token of
        that address here. It ends with the server.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void openSession(token.trim().replace(/^.*#token=/, ""));
        }}
      >
        <label class="field">
          <span>Token</span>
          <input
            ref={field}
            type="password"
            autocomplete="off"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button class="primary" type="submit" disabled={token.trim() === ""}>
          Open the console
        </button>
      </form>
      <p class="bad-text" role="alert">
        {sessionProblem.value}
      </p>
    </main>
  );
}
