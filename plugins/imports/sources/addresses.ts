/** Web addresses as users write them: what is none is refused before anything begins. */
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

/** A field that `requireAddress` checks. */
export const Address = (description: string) =>
  documented(named("WebAddress", t.String({ description })), shape);
/** One that `requireSomeAddress` checks. */
export const Addresses = (items_max: number, description: string) =>
  documented(t.Array(t.String(), { maxItems: items_max, description }), {
    contains: { type: "string", ...shape },
  });

/**
 * Whether an address may be fetched is found out when it is: this only sees that it is one. @throws
 * HttpError 400 that names `pointer`
 */
export function requireAddress(text: string, pointer: string): void {
  if (isAddress(text)) return;
  const shown = text.length > shown_chars ? `${text.slice(0, shown_chars)}…` : text;
  throw badRequest(
    `“${shown}” is no web address: it begins with https:// or http://, and a host follows.`,
    pointer,
  );
}

/** Of a list; where some are addresses, each of the others is an item that fails. */
export function requireSomeAddress(texts: readonly string[], pointer: string): void {
  if (!texts.some(isAddress) && texts[0] !== undefined) requireAddress(texts[0], `${pointer}/0`);
}
