/** The checks of a URL from a user that need no network: what it must look like. */
import { badRequest } from "../base/errors";
import { ipVersion } from "../base/networks";

/** The message is a sentence for the person who gave the URL. */
export class InvalidUrl extends Error {
  override readonly name = "InvalidUrl";
}

/** Where a request goes. */
export interface Target {
  /** Normalised: two ways of writing one address are equal here. */
  readonly href: string;
  readonly url: URL;
  /** The name to look up, or the address itself, without brackets and without a dot at the end. */
  readonly host: string;
  readonly is_address: boolean;
}

export const url_length_max = 2_048;
const name_length_max = 253;
/** Names of this machine or this network, whatever a name server says of them. */
const internal_names = [
  "localhost",
  "local",
  "internal",
  "intranet",
  "lan",
  "home.arpa",
  "localdomain",
  "onion",
  "invalid",
];
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

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
  // The parser would strip these silently, or read a backslash as a slash.
  if (/[\x00-\x20\x7f\\]/.test(text))
    throw new InvalidUrl("The URL must not hold spaces, control characters or backslashes.");
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new InvalidUrl("The URL must be absolute and begin with http:// or https://.");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/?#]*@/i.test(text))
    throw new InvalidUrl("The URL must not hold a user name or a password.");
  if (text.includes("#"))
    throw new InvalidUrl("The URL must not hold a fragment (#…): it is never sent.");
  if (url.port === "0") throw new InvalidUrl("The URL must not name port 0.");
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
    !labels.every((one) => label.test(one)) ||
    /^\d+$/.test(labels.at(-1)!)
  )
    throw new InvalidUrl("The URL's host is not a valid name.");
  if (
    labels.length < 2 ||
    internal_names.some((name) => host === name || host.endsWith(`.${name}`))
  )
    throw new InvalidUrl(`The URL's host must be public; ${host} is a name inside a network.`);
}
