/**
 * The theme: that of the system, or the one chosen here. initial-theme.ts reads the same setting
 * before the page is painted.
 */
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const storage_key = "dossier.theme";
const stored = localStorage.getItem(storage_key);

/** The theme that was chosen; `system` if none was. */
export const theme = signal<Theme>(stored === "light" || stored === "dark" ? stored : "system");

/** Applies a theme and stores it in this browser. */
export function setTheme(next: Theme): void {
  theme.value = next;
  if (next === "system") {
    localStorage.removeItem(storage_key);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(storage_key, next);
    document.documentElement.dataset.theme = next;
  }
}

/** The theme on screen. */
export const themeInEffect = (): "light" | "dark" =>
  theme.value !== "system"
    ? theme.value
    : matchMedia("(prefers-color-scheme: dark)").matches
      ? "dark"
      : "light";

// Other tabs follow.
addEventListener("storage", ({ key, newValue }) => {
  if (key === storage_key)
    setTheme(newValue === "light" || newValue === "dark" ? newValue : "system");
});
