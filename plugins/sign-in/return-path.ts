/** The page that was requested before the sign-in: always a page of the console. */
import { console_root } from "../console/contract";

const length_max = 800;

/**
 * Turns a page below the console's root into a path of this server, `/folders?page=2` →
 * `/console/folders?page=2`; anything else becomes the console's start page.
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
