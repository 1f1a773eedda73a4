/** User-supplied web addresses: invalid ones are rejected before anything starts. */
import {
  badRequest,
  documented,
  looksLikeUrl,
  named,
  t,
  uri_pattern_with_fragment,
} from "../../../core/sdk";

const scheme = /^[a-z][a-z0-9+.-]*:/i;
const shown_chars = 80;

const isAddress = (text: string): boolean =>
  looksLikeUrl(text) || (scheme.test(text.trim()) && URL.canParse(text.trim()));
const shape = { format: "uri", pattern: `^${uri_pattern_with_fragment}$` };

/** A field that is checked by `requireAddress`. */
export const Address = (description: string) =>
  documented(named("WebAddress", t.String({ description })), shape);
/** A field that is checked by `requireSomeAddress`. */
export const Addresses = (items_max: number, description: string) =>
  documented(t.Array(t.String(), { maxItems: items_max, description }), {
    contains: { type: "string", ...shape },
  });

/**
 * Only checks the form: whether an address may be fetched is decided when it is fetched. @throws
 * HttpError 400 that names `pointer`
 */
export function requireAddress(text: string, pointer: string): void {
  if (isAddress(text)) return;
  const shown = text.length > shown_chars ? `${text.slice(0, shown_chars)}…` : text;
  throw badRequest(
    `“${shown}” is not a web address. A web address starts with https:// or http://, ` +
      "followed by a host.",
    pointer,
  );
}

/** For a list: if some entries are addresses, each of the others is an item that fails. */
export function requireSomeAddress(texts: readonly string[], pointer: string): void {
  if (!texts.some(isAddress) && texts[0] !== undefined) requireAddress(texts[0], `${pointer}/0`);
}
