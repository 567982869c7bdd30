import { signal } from "@preact/signals";
import { ApiFailure, send } from "./api.js";
import { ROOT } from "./root.js";
import { navigate, replacePath } from "./router.js";

/** Why there is no session, if there is none. */
export const sessionProblem = signal<string | undefined>(undefined);

/** Opens a session with a token. @returns whether the server took it */
export async function openSession(token: string): Promise<boolean> {
  try {
    await send("POST", "session", { token });
    sessionProblem.value = undefined;
    return true;
  } catch (error) {
    sessionProblem.value = error instanceof ApiFailure ? error.message : String(error);
    return false;
  }
}

/** Takes a token out of the address (`/#token=…`) and out of the history, and opens a session with it. */
export async function takeToken(): Promise<void> {
  const token = /^#token=([0-9A-Za-z]+)$/.exec(location.hash)?.[1];
  if (token !== undefined) {
    replacePath(location.pathname + location.search);
    await openSession(token);
  }
  if (["", "console", "console/"].some((path) => location.pathname === ROOT + path))
    navigate("search", {}, { replace: true });
}
