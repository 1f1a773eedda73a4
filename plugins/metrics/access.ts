/** Access to the metrics: by token, or from an allowed network. */
import { timingSafeEqual } from "node:crypto";
import { HttpError, inBlock, forbidden, type Client, type Networks } from "../../core/sdk";

/** Who may read the metrics: whoever has the token, or comes from a network. */
export interface MetricsAccess {
  /** SHA-256 of the token; null if there is none. */
  readonly token_sha256: Uint8Array | null;
  /** Null if no networks are set. */
  readonly networks: Networks | null;
}

export const sha256 = (text: string): Uint8Array =>
  new Bun.CryptoHasher("sha256").update(text).digest();

/** @throws HttpError 401 for a missing or wrong token, 403 for an address that is not allowed. */
export function requireAccess(
  { token_sha256, networks }: MetricsAccess,
  { headers }: Request,
  { address }: Client,
): void {
  if (networks !== null && inBlock(networks, address)) return;
  if (token_sha256 !== null) {
    const sent = /^bearer +([^\s,]+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
    if (sent !== undefined && timingSafeEqual(sha256(sent), token_sha256)) return;
    throw new HttpError(
      401,
      "unauthorized",
      "Reading metrics needs the token. Send the header `Authorization: Bearer " +
        "<metrics.token>`.",
      { headers: { "www-authenticate": `Bearer realm="metrics"` } },
    );
  }
  throw forbidden(
    networks === null
      ? "Access to metrics is not set up. Set metrics.token or metrics.networks to allow it."
      : "Metrics can't be read from this address, because it is not in metrics.networks.",
    "metrics_closed",
  );
}
