/**
 * The parts of a request's URL, read from the string: `new URL` for each request would cost more
 * than routing it.
 */

/** Where the path begins, or -1. When the host is invalid, Bun passes only the path. */
export const pathStart = (url: string): number =>
  url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);

/** The path without the query: `/api/dev/v1/folders`. */
export function pathOf(url: string): string {
  const from = pathStart(url);
  if (from === -1) return "/";
  const to = url.indexOf("?", from);
  return url.slice(from, to === -1 ? undefined : to);
}

/** The query without its question mark; empty when there is none. */
export function searchOf(url: string): string {
  const from = url.indexOf("?");
  return from === -1 ? "" : url.slice(from + 1);
}
