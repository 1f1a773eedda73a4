/**
 * Decides which addresses outbound requests may connect to, based on IANA's registries of
 * special-purpose addresses.
 */
import { inBlock, ipVersion, networkList, networkSetting, type Networks } from "../base/networks";

/**
 * IPv4 blocks that are not for public servers. The few that IANA calls reachable (anycast relays,
 * AS112) serve no HTTP.
 */
export const special_v4: readonly (readonly [block: string, what: string])[] = [
  ["0.0.0.0/8", "this network"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "shared with the provider"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local, where clouds keep their metadata"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "protocol assignments"],
  ["192.0.2.0/24", "documentation"],
  ["192.31.196.0/24", "AS112"],
  ["192.52.193.0/24", "AMT"],
  ["192.88.99.0/24", "6to4 relays"],
  ["192.168.0.0/16", "private"],
  ["192.175.48.0/24", "AS112"],
  ["198.18.0.0/15", "benchmarks"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved, and broadcast"],
];
/**
 * The only range with allocated IPv6 addresses; all others (loopback, mapped, NAT64, unique local,
 * link-local, multicast …) lie outside.
 */
const global_v6 = "2000::/3";
/** … and its blocks that are not for public servers. */
export const special_v6: readonly (readonly [block: string, what: string])[] = [
  ["2001::/23", "protocol assignments: Teredo, benchmarks, ORCHID"],
  ["2001:db8::/32", "documentation"],
  ["2002::/16", "6to4, which carries any IPv4 address"],
  ["2620:4f:8000::/48", "AS112"],
  ["3fff::/20", "documentation"],
];

/** Created for the first address. */
let blocks: { readonly special: Networks; readonly global: Networks } | undefined;
const makeBlocks = (): NonNullable<typeof blocks> => ({
  special: networkList([...special_v4, ...special_v6].map(([block]) => block)),
  global: networkList([global_v6]),
});

/**
 * True for an address that a public Internet server may have; false for any other and for invalid
 * addresses.
 */
export function isPublic(address: string): boolean {
  const family = ipVersion(address);
  blocks ??= makeBlocks();
  const { special, global } = blocks;
  if (
    family === 0 ||
    address.includes("%") ||
    special.check(address, family === 6 ? "ipv6" : "ipv4")
  )
    return false;
  return family === 4 || global.check(address, "ipv6");
}

/** Whether a connection to this address is allowed. */
export type AddressPolicy = (address: string) => boolean;

/**
 * Allows public addresses, and those of the networks (CIDR) in the operator's `setting`. @throws
 * ConfigError naming an invalid network.
 */
export function createAddressPolicy(
  allow_networks: readonly string[],
  setting = "allow_networks",
): AddressPolicy {
  const allowed = networkSetting(setting, allow_networks);
  return (address) => isPublic(address) || inBlock(allowed, address);
}
