/** The pages that plugins bring: those that can be shown. */
import type { ConsolePage } from "./contract";

const path_shape = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** What lies below `/console/` and is no page. */
const reserved: ReadonlySet<string> = new Set(["api", "assets", "plugins"]);

/**
 * In the order of their titles; the first of two with one path is shown. `refused` is told of every
 * other, in words.
 */
export function fitPages(
  pages: readonly ConsolePage[],
  refused: (page: ConsolePage, why: string) => void = () => undefined,
): readonly ConsolePage[] {
  const shown = new Map<string, ConsolePage>();
  for (const page of pages) {
    if (!path_shape.test(page.path) || reserved.has(page.path))
      refused(
        page,
        "its path is not lower case letters, digits and single dashes, or belongs to the console",
      );
    else if (shown.has(page.path)) refused(page, "another plugin has a page with this path");
    else shown.set(page.path, page);
  }
  return [...shown.values()].sort((a, b) => a.title.localeCompare(b.title));
}
