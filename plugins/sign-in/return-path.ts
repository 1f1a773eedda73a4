/** The page that was asked for before somebody signed in: a page of the console, never another. */
import { console_root } from "../console/contract";

const length_max = 800;

/**
 * The path on this server of a page below the console's root, `/folders?page=2` →
 * `/console/folders?page=2`; of anything else the console's own.
 */
export function returnPath(to: string): string {
  const home = `${console_root}/`;
  if (to.length > length_max || !to.startsWith("/") || /[\\\x00-\x20\x7f]/.test(to)) return home;
  const { origin, pathname, search, hash } = new URL(console_root + to, "http://dossier.internal");
  const path = pathname + search + hash;
  return origin === "http://dossier.internal" &&
    pathname.startsWith(home) &&
    !pathname.startsWith(`${console_root}/api/`)
    ? path
    : home;
}
