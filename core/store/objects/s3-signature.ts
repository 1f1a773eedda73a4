/** URLs and headers of S3 requests: AWS Signature Version 4. */
import type { BucketAddress, Credentials } from "./files-url";

/** In lower-case hex. */
export const sha256Of = (bytes: string | Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
const hmac = (key: string | Uint8Array, text: string): Uint8Array =>
  new Bun.CryptoHasher("sha256", key).update(text).digest();

/** Percent-encodes everything but letters, digits and `-._~`. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * The URL of an object, or of the bucket when `key` is empty; the query is in the order in which it
 * is signed.
 */
export function objectUrl(
  { endpoint, bucket, style }: BucketAddress,
  key: string,
  query: Readonly<Record<string, string>> = {},
): URL {
  const base = new URL(endpoint);
  if (style === "host") base.hostname = `${bucket}.${base.hostname}`;
  const path = [base.pathname.replace(/\/+$/, "")];
  if (style === "path") path.push(encoded(bucket));
  if (key !== "") path.push(...key.split("/").map(encoded));
  const fields = Object.entries(query)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort();
  const search = fields.length === 0 ? "" : `?${fields.join("&")}`;
  return new URL(`${base.origin}${path.join("/")}${search}`);
}

/** What a signature covers. */
export interface Signed {
  readonly method: string;
  readonly url: URL;
  /** SHA-256 of the body. */
  readonly body_sha256: string;
  readonly now: Date;
}

/** The headers that sign a request; the client adds the host. */
export function signedHeaders(
  { method, url, body_sha256, now }: Signed,
  { region }: Pick<BucketAddress, "region">,
  { access_key, secret_key, session_token }: Credentials,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[:-]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers: Record<string, string> = {
    "x-amz-content-sha256": body_sha256,
    "x-amz-date": time,
    ...(session_token !== null && { "x-amz-security-token": session_token }),
  };
  const signed = Object.entries({ host: url.host, ...headers });
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    method,
    url.pathname,
    url.search.slice(1),
    signed.map(([name, value]) => `${name}:${value}\n`).join(""),
    names,
    body_sha256,
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256Of(canonical)].join("\n");
  const key = scope.split("/").reduce<string | Uint8Array>(hmac, `AWS4${secret_key}`);
  const signature = Buffer.from(hmac(key, text)).toString("hex");
  headers.authorization =
    `AWS4-HMAC-SHA256 Credential=${access_key}/${scope}, SignedHeaders=${names}, ` +
    `Signature=${signature}`;
  return headers;
}
