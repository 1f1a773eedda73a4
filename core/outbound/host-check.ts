/** Decides whether requests may connect to the host of a URL, and at which addresses. */
import type { LookupResult, DnsLookup } from "./dns-lookup";
import type { AddressPolicy } from "./address-policy";
import type { Target } from "./target";

/** Whether requests may be sent to a host. */
export type HostCheck =
  /** Connect only to these addresses: a second look-up could give others. */
  | { readonly kind: "allowed"; readonly addresses: readonly string[] }
  /** At least one of its addresses is not public. */
  | { readonly kind: "refused" }
  | Exclude<LookupResult, { readonly kind: "found" }>;

/**
 * Looks the host up, unless it is an address, and applies the policy to each address. Never throws.
 */
export async function checkHost(
  { host, is_address }: Target,
  lookup: DnsLookup,
  allows: AddressPolicy,
): Promise<HostCheck> {
  const result: LookupResult = is_address
    ? { kind: "found", addresses: [host] }
    : await lookup(host);
  if (result.kind !== "found") return result;
  return result.addresses.every(allows)
    ? { kind: "allowed", addresses: result.addresses }
    : { kind: "refused" };
}
