/**
 * S3: imports the objects of a bucket, or those with a prefix, from Amazon S3, MinIO, Ceph,
 * Cloudflare R2, Backblaze B2 and other compatible services. A complete plugin in one file. To use
 * it, add it with `dossier plugin add`, restart Dossier, and send `POST /api/dev/v1/imports` with
 * the body
 *
 *     {
 *       "folder_id": "…",
 *       "source": {
 *         "type": "s3", "endpoint": "https://s3.eu-west-1.amazonaws.com", "region": "eu-west-1",
 *         "bucket": "reports", "prefix": "2026/", "access_key_id": "…", "secret_access_key": "…"
 *       }
 *     }
 *
 * The secret is stored encrypted. An object whose entity tag has not changed since the last import
 * is not read again, and one that is no longer in the bucket counts as gone. A key with permission
 * to list the bucket and read its objects (`s3:ListBucket`, `s3:GetObject`) suffices.
 *
 * Requests are signed here and made by Dossier, which contacts public hosts only, and those that
 * `imports.allow_networks` allows; `Bun.s3` would connect to any address a name resolves to.
 */
import { definePlugin, fill, requireTarget, Secret, t, type Static } from "dossier";
import {
  ImportSources,
  SourceFailure,
  type ImportSource,
  type SourceAnswer,
  type SourceItem,
  type SourceTools,
} from "dossier/contracts";

const schema = t.Object({
  endpoint: t.String({
    description: "The address of the service, without the bucket: `https://s3.example.com`.",
  }),
  region: t.Optional(t.String({ default: "us-east-1", pattern: "^[a-z0-9-]{1,40}$" })),
  bucket: t.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$" }),
  prefix: t.Optional(
    t.String({
      maxLength: 1_024,
      description: "Only objects whose key begins with this. It ends with `/` for a folder.",
    }),
  ),
  access_key_id: t.String({ minLength: 1, maxLength: 200 }),
  secret_access_key: Secret({ description: "Kept sealed." }),
});
type Bucket = Static<typeof schema>;

// --- Signed requests -----------------------------------------------------------------------------

const hash = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const hmac = (key: string | Uint8Array, text: string): Uint8Array =>
  new Bun.CryptoHasher("sha256", key).update(text).digest();

/** Percent-encoding as S3 requires it: everything but letters, digits and `-._~`. */
const encoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
const bucketUrl = ({ endpoint, bucket }: Bucket): string =>
  `${endpoint.replace(/\/+$/, "")}/${bucket}`;
const objectUrl = (bucket: Bucket, key: string): string =>
  [bucketUrl(bucket), ...key.split("/").map(encoded)].join("/");

/** The headers of a signed request: AWS Signature Version 4. The body is empty. */
function signed(url: URL, { region = "us-east-1", ...bucket }: Bucket): Record<string, string> {
  const time = new Date().toISOString().replace(/[:-]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers = { host: url.host, "x-amz-content-sha256": hash(""), "x-amz-date": time };
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = ["GET", url.pathname, url.search.slice(1), lines.join(""), names, hash("")];
  const text = ["AWS4-HMAC-SHA256", time, scope, hash(canonical.join("\n"))].join("\n");
  const key = [...scope.split("/")].reduce<string | Uint8Array>(
    hmac,
    `AWS4${bucket.secret_access_key}`,
  );
  const signature = Buffer.from(hmac(key, text)).toString("hex");
  const credential = `${bucket.access_key_id}/${scope}`;
  return {
    ...headers,
    authorization:
      `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, ` +
      `Signature=${signature}`,
  };
}

/** The response to a request. @throws SourceFailure unless it succeeded. */
async function ask(bucket: Bucket, url: string, tools: SourceTools): Promise<SourceAnswer> {
  const { host, ...headers } = signed(new URL(url), bucket);
  const answer = await tools.request(url, { headers });
  if (answer.status === 200) return answer;
  throw refusal(bucket, answer, await answer.text(error_bytes_max));
}
const error_bytes_max = 64 * 1024;

/** The error of the service, as a sentence for the user who started the import. */
function refusal(bucket: Bucket, { status }: SourceAnswer, xml: string): SourceFailure {
  const { host } = new URL(bucket.endpoint);
  const code = field(xml, "Code") ?? "";
  const region = field(xml, "Region");
  if (code === "NoSuchBucket")
    return new SourceFailure(`${host} has no bucket ${bucket.bucket}. Correct its name.`);
  if (code === "NoSuchKey") return new SourceFailure("The object no longer exists.", "gone");
  if (code === "InvalidAccessKeyId" || code === "SignatureDoesNotMatch" || status === 401)
    return new SourceFailure(
      `${host} rejected the access key. Correct access_key_id and secret_access_key.`,
      "credentials_refused",
    );
  if (code === "RequestTimeTooSkewed")
    return new SourceFailure(
      `The clocks of this server and of ${host} differ too much. An administrator has to set ` +
        "the clock.",
    );
  if (region !== null || status === 301 || status === 307)
    return new SourceFailure(
      "The bucket is in another region. Set region" +
        `${region === null ? "" : ` to ${region}`} and the endpoint of that region.`,
    );
  if (status === 403)
    return new SourceFailure(
      `The access key is not allowed to read this at ${host}. Grant it s3:ListBucket and ` +
        "s3:GetObject.",
      "credentials_refused",
    );
  return new SourceFailure(
    `${host} answered ${status}${code === "" ? "" : ` (${code.slice(0, 60)})`}. Is the endpoint ` +
      "that of an S3 service?",
    "http_status",
  );
}

// --- XML, as S3 writes it ------------------------------------------------------------------------
// The elements in use are flat and have no attributes.

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};
/** The text of the first element with this name; null if there is none. */
function field(xml: string, name: string): string | null {
  const start = xml.indexOf(`<${name}>`);
  const end = start < 0 ? -1 : xml.indexOf(`</${name}>`, start);
  if (end < 0) return null;
  return xml
    .slice(start + name.length + 2, end)
    .replace(/&(?:#(\d{1,6})|#x([0-9a-fA-F]{1,5})|(\w{2,4}));/g, (all, decimal, hex, word) =>
      word === undefined
        ? String.fromCodePoint(hex === undefined ? Number(decimal) : parseInt(hex, 16))
        : (entities[word] ?? all),
    );
}

// --- The source ----------------------------------------------------------------------------------

/** A page has at most 1,000 objects, with keys of at most 1,024 bytes. */
const page_bytes_max = 16 * 1024 * 1024;

/** Its item; null for placeholder objects that some programs create for folders. */
function itemOf(
  xml: string,
  bucket: Bucket,
  is_encoded: boolean,
  bytes_max: number,
): SourceItem | null {
  const written = field(xml, "Key");
  if (written === null) return null;
  const key = is_encoded ? decodeURIComponent(written.replaceAll("+", " ")) : written;
  if (key.endsWith("/")) return null;
  const uri = objectUrl(bucket, key);
  const size = Number(field(xml, "Size"));
  if (new URL(uri).href !== uri)
    return { uri, error: "Its key is not a path, because it contains . or .." };
  if (size > bytes_max)
    return {
      uri,
      error: `The object is larger than the limit of ${bytes_max} bytes.`,
    };
  const [folder, ...subpath] = key
    .slice((bucket.prefix?.lastIndexOf("/") ?? -1) + 1)
    .split("/")
    .filter((part) => part !== "");
  return {
    uri,
    locator: key,
    etag: field(xml, "ETag") ?? field(xml, "LastModified") ?? "",
    ...(subpath.length === 0 ? { name: folder! } : { folder: folder!, name: subpath.join("/") }),
  };
}

interface Page {
  readonly items: readonly SourceItem[];
  /** The continuation token of the list; empty at its end. */
  readonly next: string;
}
async function listPage(bucket: Bucket, token: string, tools: SourceTools): Promise<Page> {
  // Sorted as required for signing.
  const query = [
    ...(token === "" ? [] : [["continuation-token", token]]),
    ["encoding-type", "url"],
    ["list-type", "2"],
    ["prefix", bucket.prefix ?? ""],
  ].map(([name, value]) => `${name}=${encoded(value!)}`);
  const answer = await ask(bucket, `${bucketUrl(bucket)}?${query.join("&")}`, tools);
  const xml = await answer.text(page_bytes_max);
  const [first = "", ...others] = xml.split("<Contents>");
  // The elements of the list itself may come before or after the objects.
  const about = first + (others.at(-1)?.split("</Contents>")[1] ?? "");
  if (!first.includes("<ListBucketResult"))
    throw new SourceFailure(
      `${new URL(bucket.endpoint).host} responds, but not as S3 would. Correct the endpoint.`,
    );
  const next = field(about, "IsTruncated") === "true" ? field(about, "NextContinuationToken") : "";
  if (next === null)
    throw new SourceFailure("The service says that the list continues, but not where.");
  const is_encoded = field(about, "EncodingType") === "url";
  const items = others.map((object) => itemOf(object, bucket, is_encoded, tools.upload_bytes_max));
  return { items: items.filter((item) => item !== null), next };
}

const source: ImportSource<Bucket> = {
  type: "s3",
  description:
    "The objects in a bucket of S3, or of an S3-compatible service. The part of a key before " +
    "the first `/` becomes a subfolder.",
  schema,

  check: async ({ endpoint }) => {
    requireTarget(endpoint, "/source/endpoint");
  },

  async *items(bucket, tools) {
    const keys = new Set<string>();
    let token = "";
    do {
      const page = await listPage(bucket, token, tools);
      yield* page.items;
      token = page.next;
      if (keys.has(token)) throw new SourceFailure("The service keeps listing the same objects.");
      keys.add(token);
    } while (token !== "");
    tools.listingComplete();
  },

  async read({ locator, name }, bucket, tools) {
    const answer = await ask(bucket, objectUrl(bucket, locator!), tools);
    const type = answer.headers.get("content-type")?.split(";")[0]!.trim().toLowerCase();
    return {
      name: name!,
      // The default type of objects that were stored without one.
      media_type: !type || type.endsWith("/octet-stream") ? null : type,
      bytes: answer.bytes(),
      release: () => answer.release(),
    };
  },
};

export default definePlugin({
  name: "s3",
  version: "1.0.0",
  setup: () => ({ fills: [fill(ImportSources, source)] }),
});
