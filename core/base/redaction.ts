/**
 * Secrets that must never reach the log: keys, bearer tokens, webhook secrets, and the tokens of
 * set-up links, invitations and sessions.
 */
const secrets = /\b(dsk_|whsec_|dst_|dsi_|dss_)[A-Za-z0-9+/=_-]{6,}|(bearer\s+)[^\s"\\]+/gi;

/** Replaces every secret in a line by its prefix and `[secret]`. */
export const redact = (line: string): string =>
  line.replace(
    secrets,
    (_all, prefix?: string, bearer?: string) => `${prefix ?? bearer ?? ""}[secret]`,
  );
