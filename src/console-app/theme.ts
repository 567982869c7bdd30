import { effect, signal } from "@preact/signals";

/** How colours are chosen: as the system says, or by the person. */
export type Theme = "system" | "light" | "dark";

const STORED = "mirrorlake-console-theme";

function stored(): Theme {
  const value = localStorage.getItem(STORED);
  return value === "light" || value === "dark" ? value : "system";
}

/** The chosen theme; kept by the browser. */
export const theme = signal<Theme>(stored());

/** Follows {@link theme} from now on. */
export function applyTheme(): void {
  effect(() => {
    if (theme.value === "system") {
      delete document.documentElement.dataset.theme;
      localStorage.removeItem(STORED);
    } else {
      document.documentElement.dataset.theme = theme.value;
      localStorage.setItem(STORED, theme.value);
    }
  });
}
