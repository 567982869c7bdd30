import { render } from "preact";
import { App } from "./app.js";
import { keepFocus } from "./keep-focus.js";
import { takeToken } from "./session.js";
import { applyTheme } from "./theme.js";

applyTheme();
const root = document.getElementById("app")!;
root.replaceChildren();
keepFocus(root);
// A token in the address is exchanged for a session before anything is asked.
void takeToken().finally(() => render(<App />, root));
