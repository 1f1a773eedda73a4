/** Networks in CIDR notation, and whether an address belongs to one of them. */
import type { BlockList } from "node:net";
import { ConfigError } from "./config";

/** Loaded on demand: it takes milliseconds, and most servers start without networks. */
const net = () => process.getBuiltinModule("node:net");

/** 4, 6, or 0 when it is not an IP address. */
export const ipVersion = (text: string): number => net().isIP(text);

/** A set of networks. Use `inBlock` rather than `check`, because of IPv4-mapped addresses. */
export type Networks = Pick<BlockList, "check">;
const no_networks: Networks = { check: () => false };

/** An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) counts as the IPv4 address. */
export function inBlock(block: Networks, address: string): boolean {
  if (block === no_networks) return false;
  const unmapped = address.startsWith("::ffff:") ? address.slice(7) : address;
  const family = ipVersion(unmapped);
  return family !== 0 && block.check(unmapped, family === 6 ? "ipv6" : "ipv4");
}

/** Parses `10.0.0.0/8` or a single address. @throws Error naming an entry that is neither. */
export function networkList(networks: readonly string[]): Networks {
  if (networks.length === 0) return no_networks;
  const block = new (net().BlockList)();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = ipVersion(address);
    const widest = family === 6 ? 128 : 32;
    if (family === 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= widest)))
      throw new Error(`${network} is not a network such as 10.0.0.0/8`);
    block.addSubnet(
      address,
      bits === undefined ? widest : Number(bits),
      family === 6 ? "ipv6" : "ipv4",
    );
  }
  return block;
}

/** The networks in a setting. @throws ConfigError naming the setting. */
export function networkSetting(setting: string, networks: readonly string[]): Networks {
  try {
    return networkList(networks);
  } catch (error) {
    throw new ConfigError([`${setting}: ${(error as Error).message}.`]);
  }
}
