/** The HTTP header `Retry-After` (RFC 9110): seconds, or a date. */

/** Milliseconds from now; null when the header is missing or invalid. */
export function retryAfterMs(header: string | null, now_ms: number): number | null {
  if (header === null) return null;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * 1_000;
  const at_ms = Date.parse(header);
  return Number.isNaN(at_ms) ? null : Math.max(0, at_ms - now_ms);
}

/**
 * The same for responses of a service: fractions are accepted, and a date is relative to the
 * service's own clock.
 */
export function retryAfterOfService(headers: Headers | undefined): number | undefined {
  const value = headers?.get("retry-after")?.trim();
  if (!value) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const wait_ms = Date.parse(value) - Date.parse(headers!.get("date") ?? "");
  return Number.isFinite(wait_ms) ? Math.max(0, wait_ms) : undefined;
}
