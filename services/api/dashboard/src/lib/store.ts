/** Choices of this browser: theme, density, whether single keys act. */
import { signal, type Signal } from "./signal";

/** Return a value that is kept in this browser; without storage it lives as long as the page. */
function kept<T>(name: string, first: T): Signal<T> {
  const key = `signet.${name}`;
  const found = signal(first);
  try {
    const text = localStorage.getItem(key);
    if (text !== null) found.value = JSON.parse(text) as T;
  } catch {
    // No storage, or somebody else's text in it.
  }
  return {
    get value() {
      return found.value;
    },
    set value(next) {
      found.value = next;
      look();
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // Nothing is lost but the choice.
      }
    },
  };
}

export type Theme = "system" | "light" | "dark";
export const theme = kept<Theme>("theme", "system");
/** Whether the system is dark now: what is painted by hand is painted anew when that changes. */
const system = matchMedia("(prefers-color-scheme: dark)");
export const isDark = signal(system.matches);
system.onchange = () => (isDark.value = system.matches);
export const DENSITIES = ["normal", "compact"] as const;
export const density = kept<(typeof DENSITIES)[number]>("density", "normal");
export const hasSingleKeys = kept("keys", true);
/** The agent whose memories are shown; empty for the default one. */
export const agent = kept("agent", "");

/** Tell the styles what was chosen. */
function look(): void {
  const root = document.documentElement.dataset;
  if (theme.value === "system") delete root.theme;
  else root.theme = theme.value;
  root.density = density.value;
}

look();
