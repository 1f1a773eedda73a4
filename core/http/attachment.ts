/** The `Content-Disposition` header, with which a response is saved under a name. */

/** RFC 6266: an ASCII name for old clients, the real one in UTF-8 (RFC 8187) for the rest. */
export function attachment(name: string): string {
  const ascii = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\x20-\x7e]/g, "_")
    .replaceAll(/["\\%]/g, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
