/** The pages that plugins add, as far as they can be shown. */
import type { ConsolePage } from "./contract";

const path_pattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** Paths below `/console/` that are no pages. */
const reserved: ReadonlySet<string> = new Set(["api", "assets", "plugins"]);

/**
 * In the order of their titles; the first of two with one path is shown. `onRejected` is told of
 * every other, and why.
 */
export function validPages(
  pages: readonly ConsolePage[],
  onRejected: (page: ConsolePage, reason: string) => void = () => undefined,
): readonly ConsolePage[] {
  const shown = new Map<string, ConsolePage>();
  for (const page of pages) {
    if (!path_pattern.test(page.path) || reserved.has(page.path))
      onRejected(
        page,
        "its path is not lower case letters, digits and single dashes, or belongs to the console",
      );
    else if (shown.has(page.path)) onRejected(page, "another plugin has a page with this path");
    else shown.set(page.path, page);
  }
  return [...shown.values()].sort((a, b) => a.title.localeCompare(b.title));
}
