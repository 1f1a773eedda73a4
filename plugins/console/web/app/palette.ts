/** The state of the search palette: whether it is open, and what was typed before it was loaded. */
import { signal } from "@preact/signals";

export const palette_open = signal(false);

let typed_ahead = "";
/** The initial text of the palette. */
export const typedAhead = (): string => typed_ahead;

export function openPalette(): void {
  typed_ahead = "";
  palette_open.value = true;
}
export function closePalette(): void {
  palette_open.value = false;
}

/** A key pressed while the palette was loading. */
export function typeAhead(key: string): void {
  if (key === "Escape") closePalette();
  else if (key === "Backspace") typed_ahead = typed_ahead.slice(0, -1);
  else if (key.length === 1) typed_ahead += key;
}
