/** Bodies of uploads: forms as libraries send them, and byte by byte. */

/** A multipart body with one file. */
export function form(name: string, content: string | Uint8Array<ArrayBuffer>, type = ""): FormData {
  const body = new FormData();
  body.append("file", new Blob([content], { type }), name);
  return body;
}

/**
 * A multipart body byte by byte, for names that no client library would send. Each part: its header
 * lines and its bytes.
 */
export function multipart(
  ...parts: readonly { readonly headers: string; readonly body?: string | Uint8Array }[]
): { readonly body: Uint8Array<ArrayBuffer>; readonly headers: Record<string, string> } {
  const boundary = "----dossier-boundary";
  const bytes = parts.flatMap(({ headers, body = "" }) => [
    Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`),
    Buffer.from(body as string),
    Buffer.from("\r\n"),
  ]);
  return {
    body: new Uint8Array(Buffer.concat([...bytes, Buffer.from(`--${boundary}--\r\n`)])),
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  };
}
/** The header line of a file part, with its name as the bytes between the quotes. */
export const filePart = (name: string): string =>
  `Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/plain`;
