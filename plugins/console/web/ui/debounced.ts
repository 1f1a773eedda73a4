/** A text that follows a field only after a pause in typing. */
import { useEffect, useState } from "preact/hooks";

/** The text as it was when typing last paused for `pause_ms`. */
export function useDebounced(text: string, pause_ms: number): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), pause_ms);
    return () => clearTimeout(timer);
  }, [text, pause_ms]);
  return debounced;
}
