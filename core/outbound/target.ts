/** What a URL that a user gives must look like before anyone asks for its host. */
import { isIP } from "node:net";

/** A sentence for the person who gave the URL. */
export class UnfitUrl extends Error {
  override readonly name = "UnfitUrl";
}

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
/** Names that mean this machine or this network, whatever a name server says of them. */
const inner_names = [
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

/** @throws UnfitUrl */
export function readTarget(text: string): Target {
  if (text.length > url_length_max)
    throw new UnfitUrl(
      `The URL may have at most ${url_length_max.toLocaleString("en-US")} characters.`,
    );
  // The parser would strip these silently, or read a backslash as a slash.
  if (/[\x00-\x20\x7f\\]/.test(text))
    throw new UnfitUrl("The URL must not hold spaces, control characters or backslashes.");
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new UnfitUrl("The URL must be absolute and begin with http:// or https://.");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/?#]*@/i.test(text))
    throw new UnfitUrl("The URL must not hold a user name or a password.");
  if (text.includes("#"))
    throw new UnfitUrl("The URL must not hold a fragment (#…): it is never sent.");
  if (url.port === "0") throw new UnfitUrl("The URL must not name port 0.");
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const is_address = isIP(host) !== 0;
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
    throw new UnfitUrl("The URL's host is not a valid name.");
  if (labels.length < 2 || inner_names.some((name) => host === name || host.endsWith(`.${name}`)))
    throw new UnfitUrl(`The URL's host must be public; ${host} is a name inside a network.`);
}
