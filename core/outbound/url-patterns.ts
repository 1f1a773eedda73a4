/** Regular expressions for URLs, in the common subset of ECMAScript, Python and Go. */
import { wholeNumbers } from "../lib/number-pattern";
import { special_v4 } from "./address-policy";

/** Names of this machine or this network, whatever a name server says about them. */
export const internal_names = [
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

/**
 * ASCII characters that a host name can't contain, apart from `.` and `-`; for a character class.
 */
const excluded = String.raw`\x00-,/:-@\[-\^\x60{-\x7F`;
const inside = `[^.${excluded}]`;
const outer = String.raw`[^\-.${excluded}]`;
const rest_of_part = `(?:${inside}{0,61}${outer})?`;
/** Its last part doesn't begin with a digit: a name that ends in a number is an address. */
const host_name = String.raw`(?:${outer}${rest_of_part}\.)+[^0-9\-.${excluded}]${rest_of_part}\.?`;
const byte = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const host_address = String.raw`(?:${byte}\.){3}${byte}|\[[0-9A-Fa-f]*:[0-9A-Fa-f:.]+\]`;
const port =
  "(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?";
const scheme = "[Hh][Tt][Tt][Pp][Ss]?://";
const path = String.raw`[^?#\x00-\x20\x7F\\]*`;
/**
 * The form of a web address. For names beyond ASCII and for IPv6 addresses only a look-up can tell
 * the rest.
 */
export const url_pattern =
  `${scheme}(?:${host_name}|${host_address})${port}` + String.raw`(?:[/?][^#\x00-\x20\x7F\\]*)?`;
/** The same with a fragment, which is never sent. */
export const url_pattern_with_fragment = String.raw`${url_pattern}(?:#[^\x00-\x20\x7F\\]*)?`;

/** The parts of a name in ASCII: international names in their look-up form with `xn--`. */
const endUpTo = (length: number): string => `(?:[A-Za-z0-9_-]{0,${length - 2}}[A-Za-z0-9_])?`;
const partUpTo = (length: number): string => `[A-Za-z0-9_]${endUpTo(length)}`;
const lastUpTo = (length: number): string => String.raw`[A-Za-z_]${endUpTo(length)}\.?`;
const v4 = String.raw`(?:${byte}\.){3}${byte}`;
const group = "[0-9A-Fa-f]{1,4}";

/** Every spelling of an IPv6 address whose groups begin with `first`. */
const v6Beginning = (first: string): string => {
  const full_form = `${first}(?::${group}){7}`;
  const shortened = [0, 1, 2, 3, 4, 5].map((before) => {
    const after = before === 5 ? "" : `(?::${group}){0,${5 - before}}`;
    return `${first}${before === 0 ? "" : `(?::${group}){${before}}`}::(?:${group}${after})?`;
  });
  return `(?:${[full_form, ...shortened, `${first}(?::${group}){6}::`].join("|")})`;
};
const v6 = `(?:${v6Beginning(group)}|::(?:${group}(?::${group}){0,6})?)`;

const prefix_bits = wholeNumbers(0, 128);

/** A network such as 10.0.0.0/8, or a single address. */
export const network_pattern = `(?:${v4}(?:/${wholeNumbers(0, 32)})?|${v6}(?:/${prefix_bits})?)`;

const any_host = String.raw`(?:${partUpTo(63)}\.)*${lastUpTo(63)}|${v4}|\[${v6}\]`;
/** The address of a service set by the operator: any host, without query or fragment. */
export const endpoint_pattern = `${scheme}(?:${any_host})${port}(?:/${path})?`;

/** At most 253 characters in total: three long parts before the last, or seven shorter ones. */
const long_host = String.raw`(?:${partUpTo(63)}\.){1,3}${lastUpTo(61)}`;
const host_of_many_parts = String.raw`(?:${partUpTo(27)}\.){4,7}${lastUpTo(27)}`;
const host_of_parts = `${long_host}|${host_of_many_parts}`;
/** A character of a path or a query that needs no escaping. */
const character = "[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2}";
const uriOf = (addresses: string, fragment = ""): string =>
  `${scheme}(?:${host_of_parts}|${addresses})${port}` +
  `(?:/(?:${character})*)?(?:\\?(?:${character}|\\?)*)?${fragment}`;
/** Web addresses that are certainly valid, as URIs. */
export const uri_pattern = uriOf(String.raw`${v4}|\[${v6}\]`);
/** The same with a fragment. */
export const uri_pattern_with_fragment = uriOf(
  String.raw`${v4}|\[${v6}\]`,
  `(?:#(?:${character}|\\?)*)?`,
);
/** The same for addresses that may be public: `not_public_pattern` matches those that are not. */
export const public_uri_pattern = uriOf(String.raw`${v4}|\[${v6Beginning("[23][0-9A-Fa-f]{3}")}\]`);

const internal_name = String.raw`(?:[^/?#]*\.)?(?:${internal_names.map(anyCase).join("|")})\.?`;
/** Names inside a network. */
export const internal_name_pattern = `^${scheme}${internal_name}(?:[:/?]|$)`;
/** The same, and addresses. */
export const not_public_pattern = `^${scheme}(?:${[
  internal_name,
  ...special_v4.map(([block]) => ofBlock(block)),
  String.raw`\[(?:${special_v6_patterns().join("|")})[0-9A-Fa-f:]*\]`,
].join("|")})(?:[:/?]|$)`;

function anyCase(name: string): string {
  return name
    .replaceAll(".", "\\.")
    .replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}

/** Every address of an IPv4 block, such as 172.16.0.0/12. */
function ofBlock(block: string): string {
  const [address, bits] = block.split("/") as [string, string];
  const bytes = address.split(".").map(Number);
  const parts = bytes.map((first, index) => {
    const fixed_bits = Math.min(8, Math.max(0, Number(bits) - 8 * index));
    return fixed_bits === 0 ? byte : wholeNumbers(first, first + 2 ** (8 - fixed_bits) - 1);
  });
  return parts.join("\\.");
}

/** The prefixes of `special_v6`, followed by anything. */
function special_v6_patterns(): string[] {
  const digit = "[0-9A-Fa-f]";
  return [
    // 2001::/23: the second group is missing, or at most 1ff.
    `2001:(?::|(?:0{0,3}${digit}|0{0,2}${digit}{2}|0?[01]${digit}{2})\\b)`,
    `2001:0?[Dd][Bb]8\\b`,
    "2002:",
    `2620:0{0,2}4[Ff]:8000\\b`,
    `3[Ff]{3}:(?::|0?${digit}{1,3}\\b)`,
  ];
}
