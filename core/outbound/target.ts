/** Checks the form of a user-supplied URL, without using the network. */
import { badRequest } from "../base/errors";
import { ipVersion } from "../base/networks";
import { internal_names, url_pattern, url_pattern_with_fragment } from "./url-patterns";

/** The message is a sentence for the person who supplied the URL. */
export class InvalidUrl extends Error {
  override readonly name = "InvalidUrl";
}

/** The destination of a request. */
export interface Target {
  /** Normalised: different spellings of one address are equal here. */
  readonly href: string;
  readonly url: URL;
  /** The name to look up, or the address itself, without brackets and without a trailing dot. */
  readonly host: string;
  readonly is_address: boolean;
}

/** UTF-16 units. */
export const url_length_max = 2_048;
const name_length_max = 253;
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

const url_shape = new RegExp(`^${url_pattern}$`, "u");
const url_shape_with_fragment = new RegExp(`^${url_pattern_with_fragment}$`, "u");

/** Whether it looks like the address of a page; the page may not exist. */
export const looksLikeUrl = (text: string): boolean => url_shape_with_fragment.test(text);

/**
 * The URL in a field of a request that is fetched later: a host that does not exist or is not
 * public is a failure then. @throws HttpError 400 naming `pointer`
 */
export function requireUrl(text: string, pointer: string): string {
  try {
    return requireTarget(text, pointer).href;
  } catch (error) {
    if (text.length <= url_length_max && url_shape.test(text)) return text;
    throw error;
  }
}

/** The URL in a field of a request. @throws HttpError 400 naming `pointer`, such as `/url`. */
export function requireTarget(text: string, pointer: string): Target {
  try {
    return parseTarget(text);
  } catch (error) {
    if (error instanceof InvalidUrl) throw badRequest(error.message, pointer);
    throw error;
  }
}

/** @throws InvalidUrl */
export function parseTarget(text: string): Target {
  if (text.length > url_length_max)
    throw new InvalidUrl(
      `The URL may have at most ${url_length_max.toLocaleString("en-US")} characters.`,
    );
  // The parser would silently strip these, or read a backslash as a slash.
  if (/[\x00-\x20\x7f\\]/.test(text))
    throw new InvalidUrl("The URL must not contain spaces, control characters or backslashes.");
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new InvalidUrl("The URL must be absolute and start with http:// or https://.");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/?#]*@/i.test(text))
    throw new InvalidUrl("The URL must not contain a user name or a password.");
  if (text.includes("#")) throw new InvalidUrl("The URL must not contain a fragment (#…).");
  if (url.port === "0") throw new InvalidUrl("The URL must not use port 0.");
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const is_address = ipVersion(host) !== 0;
  if (!is_address) {
    checkName(host);
    url.hostname = host;
  }
  return { href: url.href, url, host, is_address };
}

function checkName(host: string): void {
  const labels = host.split(".");
  if (
    host.length > name_length_max ||
    !labels.every((part) => label.test(part)) ||
    /^\d+$/.test(labels.at(-1)!)
  )
    throw new InvalidUrl("The URL's host is not a valid name.");
  if (
    labels.length < 2 ||
    internal_names.some((name) => host === name || host.endsWith(`.${name}`))
  )
    throw new InvalidUrl(`The URL's host must be public; ${host} is an internal name.`);
}
