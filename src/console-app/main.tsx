import { render } from "preact";
import { App } from "./app.js";
import { takeToken } from "./session.js";
import { applyTheme } from "./theme.js";

applyTheme();
const root = document.getElementById("app")!;
root.replaceChildren();
// A token in the address is exchanged for a session before anything is asked.
void takeToken().finally(() => render(<App />, root));
