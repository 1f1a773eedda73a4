/** Signed requests to a bucket, with retries where they may help, and refusals in words. */
import { jitter } from "../../base/random";
import { FilesFault } from "./place";
import type { BucketAddress, Credentials } from "./files-url";
import { objectUrl, sha256Of, signedHeaders } from "./s3-signature";

/** The kind of a request, under which it is counted. */
export type Operation = "put" | "get" | "head" | "delete" | "list" | "multipart";

/** A request, before it is signed. */
export interface S3Request {
  readonly operation: Operation;
  readonly method: "GET" | "PUT" | "HEAD" | "DELETE" | "POST";
  /** Of the object, including the prefix; empty for the bucket. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further statuses that are not failures, besides 2xx. */
  readonly allowed?: readonly number[];
  /** Called before each retry, after the pause: false gives up. Absent: always retried. */
  readonly mayRepeat?: (() => boolean) | undefined;
}
/** A response that was read to its end. */
export interface S3Response {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

const attempts_max = 3;
const first_pause_ms = 150;
/** Additional time for a request with a body: the slowest link that is still accepted. */
const slowest_bytes_ms = 128;
/** Statuses worth a retry, besides every 5xx. */
const transient_statuses = new Set([408, 429]);
const skew_code = "RequestTimeTooSkewed";

/** Which bucket, and how long it may take to respond. */
export interface S3ClientOptions {
  readonly address: BucketAddress;
  readonly credentials: Credentials;
  readonly timeout_ms: number;
  readonly now_ms: () => number;
}

/** Sends requests to one bucket, and counts them. */
export class S3Client {
  private readonly counts = new Map<string, number>();
  /** In bodies since the start. */
  sent_bytes = 0;
  received_bytes = 0;

  constructor(private readonly options: S3ClientOptions) {}

  /** See `ObjectPlace.display_name`. */
  get display_name(): string {
    const { bucket, prefix, endpoint } = this.options.address;
    return `s3://${bucket}${prefix === "" ? "" : `/${prefix.slice(0, -1)}`} at ${hostOf(endpoint)}`;
  }

  /** The number of requests by operation and outcome, including retries. */
  requests() {
    return [...this.counts].map(([name, count]) => {
      const [operation = "", outcome] = name.split(" ");
      return { operation, outcome: outcome as "ok" | "failed", count };
    });
  }

  /** The whole response. @throws FilesFault */
  async send(request: S3Request, expected_bytes = 0): Promise<S3Response> {
    for (let attempt = 1; ; attempt++) {
      const response = await this.try(request, expected_bytes).catch((error: unknown) => error);
      const failure =
        response instanceof Error ? response : this.refusal(request, response as S3Response);
      this.count(request.operation, failure === null);
      if (failure === null) return response as S3Response;
      const is_repeatable =
        response instanceof Error
          ? !isTimeout(response)
          : transient_statuses.has((response as S3Response).status) ||
            (response as S3Response).status >= 500;
      const final = failure instanceof FilesFault ? failure : this.unreachable(failure);
      if (attempt === attempts_max || !is_repeatable) throw final;
      await Bun.sleep(jitter(first_pause_ms * 3 ** (attempt - 1), 0.5));
      if (request.mayRepeat?.() === false) throw final;
    }
  }

  private async try(request: S3Request, expected_bytes: number): Promise<S3Response> {
    const { address, credentials, timeout_ms, now_ms } = this.options;
    const { method, key, query, body, headers } = request;
    const url = objectUrl(address, key, query);
    const signed = signedHeaders(
      { method, url, body_sha256: sha256Of(body ?? ""), now: new Date(now_ms()) },
      address,
      credentials,
    );
    const bytes = (body?.byteLength ?? 0) + expected_bytes;
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...signed, "accept-encoding": "identity" },
      ...(body !== undefined && { body }),
      redirect: "manual",
      signal: AbortSignal.timeout(timeout_ms + Math.ceil(bytes / slowest_bytes_ms)),
    });
    const result = {
      status: response.status,
      headers: response.headers,
      body: await response.bytes(),
    };
    this.sent_bytes += body?.byteLength ?? 0;
    this.received_bytes += result.body.byteLength;
    return result;
  }

  /** Null when the response is not a refusal. */
  private refusal({ allowed = [] }: S3Request, response: S3Response): FilesFault | null {
    const { status, body } = response;
    if ((status >= 200 && status < 300) || allowed.includes(status)) return null;
    const xml = new TextDecoder().decode(body.subarray(0, 64 * 1024));
    const code = elementText(xml, "Code") ?? "";
    const fault = (problem: string): FilesFault =>
      new FilesFault(
        status >= 500 || transient_statuses.has(status) ? "FILES_UNREACHABLE" : "FILES_REFUSED",
        `${this.display_name}: ${problem}`,
      );
    const { address, now_ms } = this.options;
    if (code === skew_code) return fault(explainSkew(response.headers, now_ms()));
    return fault(explainRefusal(address, status, code, xml, response.headers));
  }

  private unreachable(error: Error): FilesFault {
    const { endpoint } = this.options.address;
    const { code = "" } = error as { readonly code?: string };
    const reason = isTimeout(error)
      ? `did not respond within ${this.options.timeout_ms / 1_000} s`
      : /CERT|certificate/i.test(`${code} ${error.message}`)
        ? `has a certificate that was not accepted (${code || error.message}). To trust a ` +
          "private certificate authority, set NODE_EXTRA_CA_CERTS to the path of its " +
          "certificate"
        : `can't be reached (${code || error.message})`;
    return new FilesFault(
      "FILES_UNREACHABLE",
      `${this.display_name}: ${endpoint} ${reason}. Is it running, and is the endpoint in ` +
        "files.url right?",
      error,
    );
  }

  private count(operation: Operation, ok: boolean): void {
    const name = `${operation} ${ok ? "ok" : "failed"}`;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}

/** What is wrong, and what to do. */
function explainRefusal(
  { bucket, endpoint }: BucketAddress,
  status: number,
  code: string,
  xml: string,
  headers: Headers,
): string {
  if (code === "NoSuchKey") return "an object no longer exists.";
  if (code === "NoSuchBucket")
    return `there is no bucket ${bucket}. Create it, or correct files.url.`;
  if (code === "InvalidAccessKeyId" || code === "InvalidClientTokenId")
    return "the access key is unknown. Correct files.access_key.";
  if (code === "SignatureDoesNotMatch")
    return "the secret key does not belong to the access key. Correct files.secret_key.";
  if (code === "ExpiredToken" || code === "TokenRefreshRequired")
    return "the session token has expired. Set a new AWS_SESSION_TOKEN.";
  const region = elementText(xml, "Region") ?? headers.get("x-amz-bucket-region");
  if (status === 301 || status === 307 || code === "AuthorizationHeaderMalformed")
    return (
      "the bucket is in another region or at another endpoint. Set " +
      `region${region === null ? "" : `=${region}`} and endpoint in files.url.`
    );
  if (status === 403)
    return (
      `the access key may not do this${code === "" ? "" : ` (${code})`}. It needs s3:PutObject, ` +
      "s3:GetObject, s3:DeleteObject and s3:ListBucket."
    );
  if (status === 404)
    return `${hostOf(endpoint)} has no such bucket. Correct the bucket or endpoint in files.url.`;
  if (status === 507 || code === "XMinioStorageFull" || code === "QuotaExceeded")
    return "it is full. Give it more space.";
  return (
    `it responded with status ${status}${code === "" ? "" : ` (${code.slice(0, 60)})`}. ` +
    "Check that the endpoint is an S3 service and is working."
  );
}

function explainSkew(headers: Headers, now_ms: number): string {
  const server_ms = Date.parse(headers.get("date") ?? "");
  const skew_s = Math.round((now_ms - server_ms) / 1_000);
  const difference = Number.isNaN(skew_s)
    ? ""
    : ` (this one is ${Math.abs(skew_s)} s ${skew_s < 0 ? "behind" : "ahead"})`;
  return (
    `the clocks of this server and of that one differ too much${difference}. Correct the ` +
    "one that is wrong."
  );
}

const hostOf = (endpoint: string): string => new URL(endpoint).host;
const isTimeout = (error: Error): boolean => error.name === "TimeoutError";

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};
/** The text of the first element with this name; null when there is none. S3 writes flat XML. */
export function elementText(xml: string, name: string): string | null {
  const start = xml.indexOf(`<${name}>`);
  const end = start < 0 ? -1 : xml.indexOf(`</${name}>`, start);
  if (end < 0) return null;
  return xml
    .slice(start + name.length + 2, end)
    .replaceAll(/&(?:#(\d{1,6})|#x([0-9a-fA-F]{1,5})|(\w{2,4}));/g, (all, decimal, hex, word) =>
      word === undefined
        ? String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
        : (entities[word] ?? all),
    );
}
