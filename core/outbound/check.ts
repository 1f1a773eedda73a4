/** Whether the host of a URL may be connected to, and at which addresses. */
import type { Looked, Lookup } from "./lookup";
import type { AddressRule } from "./special";
import type { Target } from "./target";

export type Checked =
  /** Connect to one of these and to nothing else: a second look-up could answer differently. */
  | { readonly kind: "allowed"; readonly addresses: readonly string[] }
  /** At least one of its addresses is not public. */
  | { readonly kind: "refused" }
  | Exclude<Looked, { readonly kind: "found" }>;

/**
 * Looks the host up (an address stands for itself) and holds every address against the rule. Never
 * throws.
 */
export async function checkHost(
  { host, is_address }: Target,
  lookup: Lookup,
  allows: AddressRule,
): Promise<Checked> {
  const looked: Looked = is_address ? { kind: "found", addresses: [host] } : await lookup(host);
  if (looked.kind !== "found") return looked;
  return looked.addresses.every(allows)
    ? { kind: "allowed", addresses: looked.addresses }
    : { kind: "refused" };
}
